// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// What `tollgate dev` deploys: a small token with a greeting, so that every read has something to
/// show. Compiled into sample-contract.json by scripts/build-sample-contract.ts.
contract Sample {
    string public constant name = "Tollgate Sample";
    string public constant symbol = "TOLL";
    uint8 public constant decimals = 18;

    // Slot 0.
    uint256 public totalSupply;
    // Slot 1: the balance of A is at keccak256(pad32(A) . pad32(1)).
    mapping(address owner => uint256) public balanceOf;
    // Slot 2: up to 31 bytes stand in the slot itself, readable in eth_getStorageAt.
    string public greeting;
    // Slot 3.
    uint256 public counter;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event GreetingChanged(address indexed by, string greeting);
    event Counted(address indexed by, uint256 indexed count);

    error InsufficientBalance(uint256 available, uint256 required);

    constructor(string memory greeting_, uint256 supply) {
        greeting = greeting_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    /// Reverts with the custom error where the balance is too small.
    function transfer(address to, uint256 value) external returns (bool) {
        uint256 available = balanceOf[msg.sender];
        if (available < value) revert InsufficientBalance(available, value);
        balanceOf[msg.sender] = available - value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Also what an account runs that delegates to this contract: it then writes its own storage.
    function setGreeting(string calldata greeting_) external {
        greeting = greeting_;
        emit GreetingChanged(msg.sender, greeting_);
    }

    function count() external {
        emit Counted(msg.sender, ++counter);
    }

    /// Reverts with Error(string), the reason as given.
    function refuse(string calldata reason) external pure {
        revert(reason);
    }

    /// Reverts with Panic(0x12) where the divisor is zero.
    function divide(uint256 dividend, uint256 divisor) external pure returns (uint256) {
        return dividend / divisor;
    }
}
