// Tells what ethclient hears of new heads and logs over a WebSocket: one line of JSON each.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

type heard struct {
	Kind  string `json:"kind"`
	Event any    `json:"event"`
}

// Arguments: the address of the WebSocket, and the contract whose logs are wanted.
func main() {
	ctx := context.Background()
	client, err := ethclient.DialContext(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	heads := make(chan *types.Header)
	ofHeads, err := client.SubscribeNewHead(ctx, heads)
	if err != nil {
		log.Fatal(err)
	}
	logs := make(chan types.Log)
	query := ethereum.FilterQuery{Addresses: []common.Address{common.HexToAddress(os.Args[2])}}
	ofLogs, err := client.SubscribeFilterLogs(ctx, query, logs)
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	tell := func(kind string, event any) {
		if err := out.Encode(heard{kind, event}); err != nil {
			log.Fatal(err)
		}
	}
	tell("ready", nil)
	for {
		select {
		case head := <-heads:
			tell("head", head)
		case one := <-logs:
			tell("log", one)
		case err := <-ofHeads.Err():
			log.Fatal(err)
		case err := <-ofLogs.Err():
			log.Fatal(err)
		}
	}
}
