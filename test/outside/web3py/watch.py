"""Tells what web3.py hears of new heads, logs and waiting transactions over a WebSocket: one line of JSON each."""

import asyncio
import json
import sys

from web3 import AsyncWeb3, WebSocketProvider


def plain(value):
    """As JSON has it: bytes in hex."""
    if isinstance(value, (bytes, bytearray)):
        return "0x" + value.hex()
    if hasattr(value, "items"):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def tell(kind, event):
    print(json.dumps({"kind": kind, "event": plain(event)}), flush=True)


async def main(url, contract):
    async with AsyncWeb3(WebSocketProvider(url)) as w3:
        kinds = {
            await w3.eth.subscribe("newHeads"): "head",
            await w3.eth.subscribe("logs", {"address": contract}): "log",
            await w3.eth.subscribe("newPendingTransactions"): "pending",
        }
        tell("ready", None)
        async for message in w3.socket.process_subscriptions():
            tell(kinds[message["subscription"]], message["result"])


asyncio.run(main(sys.argv[1], sys.argv[2]))
