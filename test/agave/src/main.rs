//! Prints what agave's own parser makes of instructions, one JSON object a line.
//! No argument: a fixed set. `random COUNT`: COUNT mutations of that set, from a fixed seed.

mod instructions;

use {
    base64::{prelude::BASE64_STANDARD, Engine},
    instructions::{instructions, PROGRAMS},
    serde_json::{json, Value},
    solana_message::{compiled_instruction::CompiledInstruction, AccountKeys},
    solana_pubkey::Pubkey,
    solana_transaction_status::parse_instruction::parse,
    std::{
        collections::HashSet,
        io::{BufWriter, Write},
        str::FromStr,
    },
};

const MOST_ACCOUNTS: u8 = 16;

/// One instruction to ask about; its accounts are the first `accounts` of `keys()`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub program: &'static str,
    pub data: Vec<u8>,
    pub accounts: u8,
}

/// The next number of a linear congruential generator (its upper bits).
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

/// 32 bytes that look like a key, the same ones for the same number each time.
pub fn key(number: u8) -> [u8; 32] {
    let mut state = u64::from(number) + 1;
    std::array::from_fn(|_| next(&mut state) as u8)
}

fn keys() -> Vec<Pubkey> {
    (0..MOST_ACCOUNTS).map(|number| Pubkey::new_from_array(key(number))).collect()
}

/// The answer's `program` (of the instruction) is its place in the first line's list, `name` the parser's word for it.
fn ask(instruction: &Instruction, keys: &[Pubkey]) -> Value {
    let compiled = CompiledInstruction {
        program_id_index: 0,
        accounts: (0..instruction.accounts).collect(),
        data: instruction.data.clone(),
    };
    let program = Pubkey::from_str(instruction.program).expect("a key");
    let place = PROGRAMS.iter().position(|id| *id == instruction.program).expect("listed");
    let data = BASE64_STANDARD.encode(&instruction.data);
    match parse(&program, &compiled, &AccountKeys::new(keys, None), None) {
        Ok(answer) => json!({
            "program": place, "accounts": instruction.accounts, "data": data,
            "name": answer.program, "parsed": answer.parsed,
        }),
        Err(_) => json!({ "program": place, "accounts": instruction.accounts, "data": data, "parsed": null }),
    }
}

/// Each instruction as it should be, with accounts too few and too many, cut short, and with a byte too many.
fn fixed_set() -> Vec<Instruction> {
    let mut all = vec![];
    for one in instructions() {
        let of = |data: &[u8], accounts: u8| Instruction { program: one.program, data: data.to_vec(), accounts };
        all.push(of(&one.data, one.accounts));
        all.push(of(&one.data, one.accounts.saturating_sub(1)));
        if one.more {
            all.push(of(&one.data, one.accounts + 2));
        }
        if one.data.len() > 1 {
            all.push(of(&one.data[..one.data.len() - 1], one.accounts));
        }
        all.push(of(&[&one.data[..], &[7]].concat(), one.accounts));
    }
    for program in PROGRAMS {
        for data in [&[][..], &[0], &[45], &[255], &[13, 0, 0, 0], &[99, 0, 0, 0], &[0, 0, 0, 1], &[255; 12]] {
            all.push(Instruction { program, data: data.to_vec(), accounts: 8 });
        }
        all.push(Instruction { program, data: vec![5, 0, 0, 0], accounts: 0 });
    }
    let mut seen = HashSet::new();
    all.retain(|instruction| seen.insert(instruction.clone()));
    all
}

fn mutated(set: &[Instruction], state: &mut u64) -> Instruction {
    let mut one = set[next(state) as usize % set.len()].clone();
    for _ in 0..next(state) % 3 {
        let length = one.data.len().max(1) as u64;
        let place = (next(state) % length) as usize;
        match next(state) % 6 {
            0 => one.data.truncate(place),
            1 => one.data.push(next(state) as u8),
            2 | 3 if place < one.data.len() => one.data[place] = next(state) as u8,
            4 if place < one.data.len() => one.data[place] ^= 1 << (next(state) % 8),
            _ => one.accounts = (next(state) % u64::from(MOST_ACCOUNTS + 1)) as u8,
        }
    }
    one
}

fn main() {
    let keys = keys();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let texts: Vec<String> = keys.iter().map(Pubkey::to_string).collect();
    writeln!(out, "{}", json!({ "accounts": texts, "programs": PROGRAMS })).expect("stdout");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let set = fixed_set();
    let asked: Vec<Instruction> = match arguments.as_slice() {
        [mode, count] if mode == "random" => {
            let mut state = 147_078_735;
            (0..count.parse::<usize>().expect("a count")).map(|_| mutated(&set, &mut state)).collect()
        }
        _ => set,
    };
    for instruction in &asked {
        writeln!(out, "{}", ask(instruction, &keys)).expect("stdout");
    }
}
