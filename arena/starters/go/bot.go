// A bot: Go and its standard library. Write choose; the rest may stay as it is.
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
	Options     []json.RawMessage
	Observation json.RawMessage
	Events      []json.RawMessage
	Ranks       []int // over
	Scores      []int
}

// choose picks between Least and Most different ones of Options, by index. Here: any.
//
// `arena rules GAME` tells what they mean, and what Observation and Events hold. Unmarshal them into
// structs of your own. Look at things with log.Println.
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
			dice.Seed(message.Seed) // a match begins: its seed lets equal questions get equal answers
			out.Encode(map[string]any{"type": "ready"})
		case "decide":
			// a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
			out.Encode(map[string]any{"type": "choose", "id": message.ID, "picks": choose(message, dice)})
		}
	}
}
