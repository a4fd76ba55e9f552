// A bot for GAME in Go and its standard library. choose is yours to write, the rest may stay as it is.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"math/rand"
	"os"
)

// Message has what a hello, a decide and an over hold; the others' fields stay empty.
type Message struct {
	Type        string
	Game        string // hello
	Seat, Seats int
	Seed        int64
	ID          string // decide
	Least, Most int
	Time        int // milliseconds for the answer
	Options     []Choice
	Observation Observation
	Events      []Event
	Ranks       []int // over
	Scores      []int
}

// choose picks between Least and Most different ones of Options, by index. Here: any.
//
// game.go has the types, and `arena rules GAME` tells what they mean. In an `over` the observation is empty.
// Look at things with log.Println.
func choose(question Message, dice *rand.Rand) []int {
	size := question.Least + dice.Intn(question.Most-question.Least+1)
	return dice.Perm(len(question.Options))[:size]
}

func main() {
	dice := rand.New(rand.NewSource(0))
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout) // writes a line each time, at once
	for {
		line, err := in.ReadBytes('\n') // a line may be of any length
		if err == io.EOF {
			return
		}
		var message Message
		if err == nil {
			err = json.Unmarshal(line, &message)
		}
		if err != nil {
			log.Fatal(err)
		}
		switch message.Type {
		case "hello":
			dice.Seed(message.Seed) // a match begins: equal questions shall get equal answers
			out.Encode(map[string]any{"type": "ready"})
		case "decide":
			out.Encode(map[string]any{"type": "choose", "id": message.ID, "picks": choose(message, dice)})
		}
	}
}
