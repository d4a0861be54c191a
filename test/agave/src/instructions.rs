//! Every instruction of every program that agave parses, its data packed by hand.

use crate::key;

const SYSTEM: &str = "11111111111111111111111111111111";
const STAKE: &str = "Stake11111111111111111111111111111111111111";
const VOTE: &str = "Vote111111111111111111111111111111111111111";
const LOOKUP: &str = "AddressLookupTab1e1111111111111111111111111";
const LOADER: &str = "BPFLoader2111111111111111111111111111111111";
const UPGRADEABLE: &str = "BPFLoaderUpgradeab1e11111111111111111111111";
const ASSOCIATED: &str = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
const TOKEN: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const TOKEN_2022: &str = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
const MEMO_1: &str = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo";
const MEMO_3: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

/// All that agave parses, and three that it does not: the oldest loader, the newest memo, the compute budget.
pub const PROGRAMS: [&str; 14] = [
    SYSTEM,
    STAKE,
    VOTE,
    LOOKUP,
    LOADER,
    UPGRADEABLE,
    ASSOCIATED,
    TOKEN,
    TOKEN_2022,
    MEMO_1,
    MEMO_3,
    "BPFLoader1111111111111111111111111111111111",
    "Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH",
    "ComputeBudget111111111111111111111111111111",
];

const AMOUNTS: [u64; 5] = [0, 1, 1_500_000_000, (1 << 53) + 1, u64::MAX];

pub struct Sample {
    pub program: &'static str,
    pub data: Vec<u8>,
    pub accounts: u8,
    /// What more accounts than needed mean is worth asking.
    pub more: bool,
}

#[derive(Clone)]
struct Data(Vec<u8>);

fn bytes(first: &[u8]) -> Data {
    Data(first.to_vec())
}

fn variant(number: u32) -> Data {
    Data(number.to_le_bytes().to_vec())
}

impl Data {
    fn put(mut self, more: &[u8]) -> Data {
        self.0.extend_from_slice(more);
        self
    }
    fn u8(self, value: u8) -> Data {
        self.put(&[value])
    }
    fn u16(self, value: u16) -> Data {
        self.put(&value.to_le_bytes())
    }
    fn u32(self, value: u32) -> Data {
        self.put(&value.to_le_bytes())
    }
    fn u64(self, value: u64) -> Data {
        self.put(&value.to_le_bytes())
    }
    fn i64(self, value: i64) -> Data {
        self.put(&value.to_le_bytes())
    }
    fn f64(self, value: f64) -> Data {
        self.put(&value.to_le_bytes())
    }
    fn key(self, number: u8) -> Data {
        self.put(&key(number))
    }
    /// A text with its length in 8 bytes (bincode).
    fn text(self, text: &str) -> Data {
        self.u64(text.len() as u64).put(text.as_bytes())
    }
    /// A text with its length in 4 bytes (borsh).
    fn borsh(self, text: &str) -> Data {
        self.u32(text.len() as u32).put(text.as_bytes())
    }
    fn zeros(self, count: usize) -> Data {
        self.put(&vec![0; count])
    }
    fn fill(self, count: usize, first: u8) -> Data {
        let many: Vec<u8> = (0..count).map(|at| first.wrapping_add(at as u8)).collect();
        self.put(&many)
    }
}

#[derive(Default)]
struct List(Vec<Sample>);

impl List {
    fn add(&mut self, program: &'static str, accounts: u8, data: Data) {
        self.0.push(Sample { program, data: data.0, accounts, more: false });
    }
    /// Its accounts may be more than needed: signers of a multisig, proofs, optional ones.
    fn more(&mut self, program: &'static str, accounts: u8, data: Data) {
        self.0.push(Sample { program, data: data.0, accounts, more: true });
    }
}

pub fn instructions() -> Vec<Sample> {
    let mut list = List::default();
    system(&mut list);
    stake(&mut list);
    vote(&mut list);
    lookup_tables(&mut list);
    loaders(&mut list);
    associated_and_memo(&mut list);
    token(&mut list);
    token_2022(&mut list);
    extensions(&mut list);
    pointers(&mut list);
    confidential(&mut list);
    confidential_fee(&mut list);
    confidential_mint_burn(&mut list);
    interfaces(&mut list);
    list.0
}

fn system(list: &mut List) {
    for amount in AMOUNTS {
        list.add(SYSTEM, 2, variant(2).u64(amount));
    }
    list.add(SYSTEM, 2, variant(0).u64(1_500_000_000).u64(165).key(20));
    list.add(SYSTEM, 1, variant(1).key(21));
    let seed = "a seed with \u{e9} and \"quotes\"\n\u{1f600}";
    list.more(SYSTEM, 2, variant(3).key(22).text(seed).u64(u64::MAX).u64(0).key(23));
    list.add(SYSTEM, 2, variant(3).key(22).text("").u64(1).u64(1).key(23));
    list.add(SYSTEM, 2, variant(3).key(22).u64(u64::MAX).u64(1).u64(1).key(23));
    list.add(SYSTEM, 2, variant(3).key(22).u64(2).put(&[0xc3, 0x28]).u64(1).u64(1).key(23));
    list.more(SYSTEM, 3, variant(4));
    list.add(SYSTEM, 5, variant(5).u64(u64::MAX));
    list.add(SYSTEM, 3, variant(6).key(24));
    list.add(SYSTEM, 2, variant(7).key(25));
    list.add(SYSTEM, 1, variant(8).u64((1 << 53) + 1));
    list.add(SYSTEM, 2, variant(9).key(26).text("seed").u64(200).key(27));
    list.add(SYSTEM, 2, variant(10).key(28).text("seed").key(29));
    list.add(SYSTEM, 3, variant(11).u64(890_880).text("seed").key(30));
    list.add(SYSTEM, 1, variant(12));
}

fn stake(list: &mut List) {
    list.add(STAKE, 2, variant(0).key(1).key(2).i64(-1).u64(0).key(3));
    list.add(STAKE, 2, variant(0).key(1).key(2).i64(i64::MIN).u64(u64::MAX).zeros(32));
    list.more(STAKE, 3, variant(1).key(4).u32(0));
    list.add(STAKE, 3, variant(1).key(4).u32(1));
    list.add(STAKE, 3, variant(1).key(4).u32(2));
    list.more(STAKE, 6, variant(2));
    list.add(STAKE, 3, variant(3).u64(u64::MAX));
    list.more(STAKE, 5, variant(4).u64(5_000));
    list.add(STAKE, 3, variant(5));
    list.more(STAKE, 2, variant(6).u8(1).i64(1_700_000_000).u8(1).u64(500).u8(1).key(5));
    list.add(STAKE, 2, variant(6).u8(0).u8(1).u64(0).u8(0));
    list.add(STAKE, 2, variant(6).u8(0).u8(0).u8(0));
    list.add(STAKE, 2, variant(6).u8(2).u8(0).u8(0));
    list.add(STAKE, 5, variant(7));
    list.more(STAKE, 2, variant(8).key(6).u32(1).text("seed").key(7));
    list.add(STAKE, 3, variant(8).key(6).u32(0).text("seed").key(7));
    list.add(STAKE, 4, variant(9));
    list.more(STAKE, 4, variant(10).u32(1));
    list.more(STAKE, 4, variant(11).u32(0).text("a").key(8));
    list.more(STAKE, 2, variant(12).u8(1).i64(-5).u8(0));
    list.add(STAKE, 3, variant(12).u8(0).u8(1).u64(u64::MAX));
    list.more(STAKE, 1, variant(13));
    list.add(STAKE, 3, variant(14));
    list.add(STAKE, 5, variant(15));
    list.add(STAKE, 3, variant(16).u64((1 << 53) + 1));
    list.add(STAKE, 3, variant(17).u64(0));
}

fn vote(list: &mut List) {
    let lockouts = |data: Data| data.u64(2).u64(100).u32(2).u64((1 << 53) + 1).u32(u32::MAX);
    list.add(VOTE, 4, variant(0).key(1).key(2).key(3).u8(100));
    list.add(VOTE, 3, variant(1).key(4).u32(0));
    list.add(VOTE, 3, variant(1).key(4).u32(1));
    list.add(VOTE, 3, variant(1).key(4).u32(2));
    list.more(VOTE, 4, variant(2).u64(3).u64(1).u64(u64::MAX).u64(7).key(5).u8(1).i64(-1));
    list.add(VOTE, 4, variant(2).u64(0).key(5).u8(0));
    list.add(VOTE, 4, variant(2).u64(1 << 60).key(5).u8(0));
    list.add(VOTE, 3, variant(3).u64(u64::MAX));
    list.add(VOTE, 3, variant(4));
    list.add(VOTE, 2, variant(5).u8(255));
    list.add(VOTE, 4, variant(6).u64(1).u64(9).key(6).u8(0).key(7));
    list.add(VOTE, 4, variant(7).u32(1));
    list.add(VOTE, 2, lockouts(variant(8)).u8(1).u64(50).key(8).u8(1).i64(1_700_000_000));
    list.add(VOTE, 2, variant(8).u64(0).u8(0).key(8).u8(0));
    list.add(VOTE, 2, lockouts(variant(9)).u8(0).key(8).u8(0).key(9));
    list.add(VOTE, 3, variant(10).u32(0).key(10).text("seed").key(11));
    list.add(VOTE, 4, variant(11).u32(1).key(10).text("seed").key(11));
    for (number, rest) in [(12, 0), (14, 32)] {
        let many: Vec<u8> = (0..130).flat_map(|at| [at % 3 + 1, at]).collect();
        list.add(
            VOTE,
            2,
            variant(number).u64(100).put(&[3, 1, 31, 0x80, 1, 30, 0xff, 0x7f, 1]).key(12).u8(1).i64(5).fill(rest, 1),
        );
        list.add(VOTE, 2, variant(number).u64(u64::MAX).put(&[1, 0, 255]).key(12).u8(0).fill(rest, 1));
        list.add(VOTE, 2, variant(number).u64(u64::MAX - 1).put(&[2, 1, 2, 1, 1]).key(12).u8(0).fill(rest, 1));
        list.add(VOTE, 2, variant(number).u64(u64::MAX - 1).put(&[0]).key(12).u8(0).fill(rest, 1));
        let many = if number == 12 { &many[..0] } else { &many };
        list.add(VOTE, 2, variant(number).u64(0).put(&[0x82, 1]).put(many).key(12).u8(0).fill(rest, 1));
        let odd: [&[u8]; 9] = [
            &[0x81, 0, 1, 1],
            &[0x80, 0x80, 4],
            &[0x80, 0x80, 0x80, 1],
            &[0xff, 0xff, 3],
            &[1, 0x80, 0, 1],
            &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1],
            &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 1],
            &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 1],
            &[1, 0x80, 0x80, 1, 1],
        ];
        for lengths in odd {
            list.add(VOTE, 2, variant(number).u64(0).put(lengths).key(12).u8(0).fill(rest, 1));
        }
    }
    list.add(VOTE, 2, variant(13).u64(100).put(&[1, 1, 31]).key(12).u8(0).key(13));
    list.add(VOTE, 2, variant(15).u64(100).put(&[1, 1, 31]).key(12).u8(0).key(13).key(14));
}

fn lookup_tables(list: &mut List) {
    list.more(LOOKUP, 4, variant(0).u64(u64::MAX).u8(254));
    list.add(LOOKUP, 2, variant(1));
    list.more(LOOKUP, 2, variant(2).u64(2).key(1).key(2));
    list.add(LOOKUP, 3, variant(2).u64(0));
    list.add(LOOKUP, 4, variant(2).u64(3).key(1).key(2));
    list.add(LOOKUP, 4, variant(2).u64(u64::MAX).key(1));
    list.add(LOOKUP, 2, variant(3));
    list.add(LOOKUP, 3, variant(4));
}

fn loaders(list: &mut List) {
    list.more(LOADER, 1, variant(0).u32(u32::MAX).text("bytes of it"));
    list.add(LOADER, 1, variant(0).u32(0).text(""));
    list.add(LOADER, 1, variant(0).u32(0).u64(1 << 40).u8(1));
    list.more(LOADER, 2, variant(1));
    list.more(UPGRADEABLE, 1, variant(0));
    list.more(UPGRADEABLE, 2, variant(1).u32(1012).text("bytes of it!"));
    list.more(UPGRADEABLE, 8, variant(2).u64(u64::MAX));
    list.add(UPGRADEABLE, 7, variant(3));
    list.more(UPGRADEABLE, 2, variant(4));
    list.more(UPGRADEABLE, 3, variant(5));
    list.more(UPGRADEABLE, 2, variant(6).u32(u32::MAX));
    list.add(UPGRADEABLE, 3, variant(6).u32(0));
    list.add(UPGRADEABLE, 3, variant(7));
    list.add(UPGRADEABLE, 3, variant(8));
    list.more(UPGRADEABLE, 3, variant(9).u32(10_240));
    list.add(UPGRADEABLE, 4, variant(9).u32(10_240));
}

fn associated_and_memo(list: &mut List) {
    list.more(ASSOCIATED, 6, bytes(&[]));
    list.add(ASSOCIATED, 6, bytes(&[0]));
    list.more(ASSOCIATED, 6, bytes(&[1]));
    list.add(ASSOCIATED, 7, bytes(&[2]));
    list.add(ASSOCIATED, 7, bytes(&[3]));
    for memo in [MEMO_1, MEMO_3] {
        list.add(memo, 0, bytes("a memo, \u{e9}\u{1f600} \"\\\u{0}\u{2028}\u{feff}".as_bytes()));
        list.add(memo, 1, bytes("\u{feff}first".as_bytes()));
        for bad in [&[0xff][..], &[0xed, 0xa0, 0x80], &[0xc0, 0x80], &[0xf4, 0x90, 0x80, 0x80], &[97, 0xe2, 0x82]] {
            list.add(memo, 1, bytes(bad));
        }
    }
}

fn token(list: &mut List) {
    list.add(TOKEN, 2, bytes(&[0, 9]).key(1).u8(1).key(2));
    list.add(TOKEN, 2, bytes(&[0, 255]).key(1).u8(0));
    list.add(TOKEN, 2, bytes(&[0, 9]).key(1).u8(2).key(2));
    list.add(TOKEN, 4, bytes(&[1]));
    list.more(TOKEN, 3, bytes(&[2, 2]));
    for amount in AMOUNTS {
        list.add(TOKEN, 3, bytes(&[3]).u64(amount));
    }
    for tag in [3, 4, 7, 8] {
        list.more(TOKEN, 3, bytes(&[tag]).u64(1_000));
    }
    list.more(TOKEN, 2, bytes(&[5]));
    for authority in 0..=17 {
        let new = bytes(&[6, authority]);
        list.add(TOKEN, 2, if authority % 2 == 0 { new.u8(0) } else { new.u8(1).key(3) });
    }
    list.more(TOKEN, 2, bytes(&[6, 2]).u8(1).key(3));
    for tag in [9, 10, 11] {
        list.more(TOKEN, 3, bytes(&[tag]));
    }
    list.more(TOKEN, 4, bytes(&[12]).u64(1_234_500).u8(6));
    for amount in AMOUNTS {
        for decimals in [0, 9, 20] {
            list.add(TOKEN, 3, bytes(&[15]).u64(amount).u8(decimals));
        }
    }
    for decimals in [1, 2, 18, 19, 255] {
        list.add(TOKEN, 3, bytes(&[15]).u64(u64::MAX).u8(decimals));
    }
    list.more(TOKEN, 4, bytes(&[13]).u64(1).u8(6));
    list.more(TOKEN, 3, bytes(&[14]).u64(1_000_001).u8(6));
    list.more(TOKEN, 3, bytes(&[15]).u64(1_000_000).u8(6));
    list.add(TOKEN, 3, bytes(&[16]).key(4));
    list.add(TOKEN, 1, bytes(&[17]));
    list.add(TOKEN, 2, bytes(&[18]).key(5));
    list.more(TOKEN, 2, bytes(&[19, 1]));
    list.add(TOKEN, 1, bytes(&[20, 0]).key(6).u8(1).key(7));
    list.add(TOKEN, 1, bytes(&[20, 0]).key(6).u8(0));
    list.add(TOKEN, 1, bytes(&[21]));
    list.add(TOKEN, 1, bytes(&[22]));
    list.add(TOKEN, 1, bytes(&[23]).u64(u64::MAX));
    list.add(TOKEN, 1, bytes(&[24]).put(b"1.25"));
    list.add(TOKEN, 1, bytes(&[24]));
    list.add(TOKEN, 1, bytes(&[24, 0xff]));
}

fn token_2022(list: &mut List) {
    let all: Vec<u8> = (0..=27u16).flat_map(u16::to_le_bytes).collect();
    list.more(TOKEN_2022, 4, bytes(&[12]).u64(100).u8(2));
    list.add(TOKEN_2022, 1, bytes(&[21]).put(&all));
    list.add(TOKEN_2022, 1, bytes(&[21]).u16(28));
    list.add(TOKEN_2022, 1, bytes(&[25]).u8(1).key(1));
    list.add(TOKEN_2022, 1, bytes(&[25]).u8(0));
    list.more(TOKEN_2022, 4, bytes(&[29]).u16(7).u16(8));
    list.add(TOKEN_2022, 4, bytes(&[29]));
    list.add(TOKEN_2022, 4, bytes(&[29]).u16(0xffff));
    list.add(TOKEN_2022, 3, bytes(&[31]));
    list.add(TOKEN_2022, 1, bytes(&[32]));
    list.add(TOKEN_2022, 1, bytes(&[35]).key(2));
    list.more(TOKEN_2022, 3, bytes(&[38]));
    for tag in [26, 27, 28, 30, 33, 34, 36, 37, 39, 40, 41, 42, 43, 44, 45] {
        list.add(TOKEN_2022, 8, bytes(&[tag]));
        list.add(TOKEN_2022, 8, bytes(&[tag, 15]));
    }
}

fn extensions(list: &mut List) {
    list.add(TOKEN_2022, 1, bytes(&[26, 0]).u8(1).key(1).u8(1).key(2).u16(65_535).u64(u64::MAX));
    list.add(TOKEN_2022, 1, bytes(&[26, 0]).u8(0).u8(0).u16(0).u64(0));
    list.more(TOKEN_2022, 4, bytes(&[26, 1]).u64(1_000_000).u8(6).u64(25));
    list.more(TOKEN_2022, 3, bytes(&[26, 2]));
    list.more(TOKEN_2022, 5, bytes(&[26, 3, 2]));
    list.more(TOKEN_2022, 3, bytes(&[26, 3, 0]));
    list.add(TOKEN_2022, 9, bytes(&[26, 3, 2]));
    list.more(TOKEN_2022, 1, bytes(&[26, 4]));
    list.more(TOKEN_2022, 2, bytes(&[26, 5]).u16(65_535).u64(u64::MAX));
    for state in 0..=3 {
        list.add(TOKEN_2022, 1, bytes(&[28, 0, state]));
    }
    list.more(TOKEN_2022, 2, bytes(&[28, 1, 2]));
    for tag in [30, 34] {
        list.more(TOKEN_2022, 2, bytes(&[tag, 0]));
        list.more(TOKEN_2022, 2, bytes(&[tag, 1]));
    }
    list.add(TOKEN_2022, 1, bytes(&[33, 0]).key(1).put(&(-5i16).to_le_bytes()));
    list.add(TOKEN_2022, 1, bytes(&[33, 0]).zeros(32).u16(32_767));
    list.more(TOKEN_2022, 2, bytes(&[33, 1]).put(&i16::MIN.to_le_bytes()));
    let floats = [
        0.0,
        -0.0,
        1.0,
        1.5,
        0.1,
        1e21,
        1e-7,
        123456789012345680000.0,
        1.7976931348623157e308,
        5e-324,
        -2.5e-10,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        9007199254740993.0,
    ];
    for float in floats {
        list.add(TOKEN_2022, 1, bytes(&[43, 0]).key(1).f64(float));
    }
    list.add(TOKEN_2022, 1, bytes(&[43, 0]).zeros(32).f64(2.0));
    list.more(TOKEN_2022, 2, bytes(&[43, 1]).f64(1.25).i64(i64::MIN));
    list.add(TOKEN_2022, 1, bytes(&[44, 0]).key(1));
    list.add(TOKEN_2022, 1, bytes(&[44, 0]).zeros(32));
    list.more(TOKEN_2022, 2, bytes(&[44, 1]));
    list.more(TOKEN_2022, 2, bytes(&[44, 2]));
}

fn pointers(list: &mut List) {
    for tag in [36, 39, 40, 41] {
        list.add(TOKEN_2022, 1, bytes(&[tag, 0]).key(1).key(2));
        list.add(TOKEN_2022, 1, bytes(&[tag, 0]).zeros(64));
        list.more(TOKEN_2022, 2, bytes(&[tag, 1]).key(3));
        list.add(TOKEN_2022, 2, bytes(&[tag, 1]).zeros(32));
    }
}

fn confidential(list: &mut List) {
    list.add(TOKEN_2022, 1, bytes(&[27, 0]).key(1).u8(2).key(2));
    list.add(TOKEN_2022, 1, bytes(&[27, 0]).zeros(65));
    list.add(TOKEN_2022, 2, bytes(&[27, 1]).u8(1).key(2));
    list.add(TOKEN_2022, 2, bytes(&[27, 1]).zeros(33));
    list.more(TOKEN_2022, 4, bytes(&[27, 2]).fill(36, 1).u64(65_536).u8(0));
    list.more(TOKEN_2022, 4, bytes(&[27, 2]).fill(36, 1).u64(u64::MAX).u8(255));
    list.add(TOKEN_2022, 5, bytes(&[27, 2]).fill(36, 1).u64(0).u8(1));
    list.add(TOKEN_2022, 3, bytes(&[27, 3]));
    list.more(TOKEN_2022, 3, bytes(&[27, 4, 0]));
    list.more(TOKEN_2022, 3, bytes(&[27, 4, 128]));
    list.add(TOKEN_2022, 4, bytes(&[27, 4, 1]));
    list.more(TOKEN_2022, 4, bytes(&[27, 5]).u64(u64::MAX).u8(255));
    list.more(TOKEN_2022, 5, bytes(&[27, 6]).u64(u64::MAX).u8(200).fill(36, 2).u8(0).u8(0));
    for accounts in 4..=9 {
        list.add(TOKEN_2022, accounts, bytes(&[27, 6]).u64(1).u8(9).fill(36, 2).u8(1).u8(0));
    }
    list.add(TOKEN_2022, 7, bytes(&[27, 6]).u64(1).u8(9).fill(36, 2).u8(0).u8(3));
    for accounts in 4..=9 {
        list.add(TOKEN_2022, accounts, bytes(&[27, 7]).fill(36, 3).zeros(128).u8(1).u8(0).u8(255));
    }
    list.add(TOKEN_2022, 7, bytes(&[27, 7]).fill(36, 3).zeros(128).u8(0).u8(0).u8(0));
    list.add(TOKEN_2022, 7, bytes(&[27, 7]).fill(36, 3).zeros(128).u8(0).u8(2).u8(0));
    list.more(TOKEN_2022, 2, bytes(&[27, 8]).u64(u64::MAX).fill(36, 4));
    for tag in 9..=12 {
        list.more(TOKEN_2022, 2, bytes(&[27, tag]));
    }
    for accounts in [4, 5, 8, 9, 10, 11] {
        list.add(TOKEN_2022, accounts, bytes(&[27, 13]).fill(36, 5).zeros(128).put(&[1, 2, 3, 4, 255]));
        list.add(TOKEN_2022, accounts, bytes(&[27, 13]).fill(36, 5).zeros(128).put(&[0, 0, 0, 0, 0]));
    }
    list.add(TOKEN_2022, 9, bytes(&[27, 13]).fill(36, 5).zeros(128).put(&[0, 0, 9, 0, 0]));
    list.add(TOKEN_2022, 9, bytes(&[27, 13]).fill(36, 5).zeros(128).put(&[0, 0, 0, 9, 0]));
    list.more(TOKEN_2022, 3, bytes(&[27, 14]));
}

fn confidential_fee(list: &mut List) {
    list.add(TOKEN_2022, 1, bytes(&[37, 0]).key(1).key(2));
    list.add(TOKEN_2022, 1, bytes(&[37, 0]).zeros(64));
    list.more(TOKEN_2022, 4, bytes(&[37, 1, 0]).fill(36, 6));
    list.more(TOKEN_2022, 4, bytes(&[37, 1, 255]).fill(36, 6));
    list.add(TOKEN_2022, 5, bytes(&[37, 1, 1]).fill(36, 6));
    list.more(TOKEN_2022, 6, bytes(&[37, 2, 2, 0]).fill(36, 7));
    list.more(TOKEN_2022, 6, bytes(&[37, 2, 2, 1]).fill(36, 7));
    list.more(TOKEN_2022, 4, bytes(&[37, 2, 0, 1]).fill(36, 7));
    list.add(TOKEN_2022, 7, bytes(&[37, 2, 2, 1]).fill(36, 7));
    list.more(TOKEN_2022, 1, bytes(&[37, 3]));
    list.more(TOKEN_2022, 2, bytes(&[37, 4]));
    list.more(TOKEN_2022, 2, bytes(&[37, 5]));
}

fn confidential_mint_burn(list: &mut List) {
    list.add(TOKEN_2022, 1, bytes(&[42, 0]).key(1).fill(36, 8));
    list.more(TOKEN_2022, 3, bytes(&[42, 1]).key(1).u8(0));
    list.more(TOKEN_2022, 3, bytes(&[42, 1]).zeros(32).u8(254));
    list.more(TOKEN_2022, 2, bytes(&[42, 2]).fill(36, 9));
    for tag in [3, 4] {
        for accounts in [3, 4, 5, 7, 8] {
            list.add(TOKEN_2022, accounts, bytes(&[42, tag]).fill(36, 10).zeros(128).put(&[0, 1, 0]));
        }
        list.add(TOKEN_2022, 6, bytes(&[42, tag]).fill(36, 10).zeros(128).put(&[0, 0, 0]));
        list.add(TOKEN_2022, 7, bytes(&[42, tag]).fill(36, 10).zeros(128).put(&[255, 0, 3]));
    }
    list.more(TOKEN_2022, 2, bytes(&[42, 5]));
}

fn interfaces(list: &mut List) {
    let initialize = [0xd2, 0xe1, 0x1e, 0xa2, 0x58, 0xb8, 0x4d, 0x8d];
    let update_field = [0xdd, 0xe9, 0x31, 0x2d, 0xb5, 0xca, 0xdc, 0xc8];
    let remove_key = [0xea, 0x12, 0x20, 0x38, 0x59, 0x8d, 0x25, 0xb5];
    let update_authority = [0xd7, 0xe4, 0xa6, 0xe4, 0x54, 0x64, 0x56, 0x7b];
    let emit = [0xfa, 0xa6, 0xb4, 0xfa, 0x0d, 0x0c, 0xb8, 0x46];
    list.more(TOKEN_2022, 4, bytes(&initialize).borsh("name").borsh("SYM \u{e9}").borsh(""));
    list.add(TOKEN, 4, bytes(&initialize).borsh("name").borsh("SYM").borsh("uri"));
    list.add(TOKEN_2022, 4, bytes(&initialize).borsh("name").u32(u32::MAX).borsh(""));
    for field in 0..=2 {
        list.add(TOKEN_2022, 2, bytes(&update_field).u8(field).borsh("value"));
    }
    list.add(TOKEN_2022, 2, bytes(&update_field).u8(3).borsh("key").borsh("value"));
    list.add(TOKEN_2022, 2, bytes(&update_field).u8(4).borsh("value"));
    list.add(TOKEN_2022, 2, bytes(&remove_key).u8(0).borsh("key"));
    list.add(TOKEN_2022, 2, bytes(&remove_key).u8(1).borsh("key"));
    list.add(TOKEN_2022, 2, bytes(&remove_key).u8(2).borsh("key"));
    list.add(TOKEN_2022, 2, bytes(&update_authority).key(1));
    list.add(TOKEN_2022, 2, bytes(&update_authority).zeros(32));
    list.add(TOKEN_2022, 1, bytes(&emit).u8(0).u8(0));
    list.add(TOKEN_2022, 1, bytes(&emit).u8(1).u64(0).u8(1).u64(u64::MAX));
    list.add(TOKEN_2022, 1, bytes(&emit).u8(2).u8(0));
    let group = [0x79, 0x71, 0x6c, 0x27, 0x36, 0x33, 0x00, 0x04];
    let max_size = [0x6c, 0x25, 0xab, 0x8f, 0xf8, 0x1e, 0x12, 0x6e];
    let authority = [0xa1, 0x69, 0x58, 0x01, 0xed, 0xdd, 0xd8, 0xcb];
    let member = [0x98, 0x20, 0xde, 0xb0, 0xdf, 0xed, 0x74, 0x86];
    list.more(TOKEN_2022, 3, bytes(&group).key(1).u64(u64::MAX));
    list.add(TOKEN_2022, 3, bytes(&group).zeros(32).u64(0));
    list.add(TOKEN_2022, 2, bytes(&max_size).u64((1 << 53) + 1));
    list.add(TOKEN_2022, 2, bytes(&authority).key(1));
    list.add(TOKEN_2022, 2, bytes(&authority).zeros(32));
    list.add(TOKEN_2022, 5, bytes(&member));
}
