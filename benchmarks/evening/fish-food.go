// A bot for fish-food that is greedy, and looks further near the end: Go and its standard library.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"math"
	"os"
	"sort"
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

// What a size card adds to whom it is played on, and what a card is worth in the hand, as greedy has it.
var adds = map[string]int{WordFishFood: 1, WordCaughtInTheNet: -1, WordSunkenTreasure: 2, WordSchoolOfFish: 4}
var costs = map[string]float64{WordSchoolOfFish: 0.6, WordFishFood: 0.8, WordCaughtInTheNet: 1, WordSunkenTreasure: 1.3,
	WordStun: 1.6, WordLostAtSea: 1.8, WordSwimAway: 2.1, WordSwitcheroo: 2.3}
var creatures = []int{7, 7, 7, 5, 4, 3, 3, 2, 1, 1}

// choose plays as greedy does, which looks at one or two cards, but for four things: it turns an encounter with any
// number of cards; it leaves the stopping of others to those after it who have cards; a step at size 8 means more;
// and near the end it makes its lead so big that two cards cannot turn it.
func choose(question Message) []int {
	see := question.Observation
	best, at := 0.0, 0
	switch see.Step {
	case WordPlay:
		for index, option := range question.Options {
			if option.Play != nil {
				if gain := value(see, option.Play.Card, option.Play.Target); gain > best {
					best, at = gain, index
				}
			}
		}
		return []int{at}
	case WordTakeTheBaitInSmallLetters:
		left, small := 0, 0
		for size, copies := range creatures {
			left += copies - see.EncounterDiscards[size]
			if size < see.Sizes[see.Seat] {
				small = left
			}
		}
		if see.Sizes[see.Seat] > 2 && 2*small > left {
			return []int{1}
		}
		return []int{0}
	}
	picks := make([]int, len(question.Options))
	for index := range picks {
		picks[index] = index
	}
	sort.SliceStable(picks, func(a, b int) bool {
		return costs[question.Options[picks[a]].Word] < costs[question.Options[picks[b]].Word]
	})
	return picks[:question.Least]
}

// lead is by how much this seat would be bigger than the creature as things stand; it loses below 0.
func lead(see Observation, seat int) int {
	return see.Sizes[seat] + see.Modifiers[seat] - *see.Encounter.Number - see.CreatureModifier
}

// points is what it is worth to us if this seat ends the encounter with this lead.
func points(see Observation, seat, by int) float64 {
	size, opponents := see.Sizes[seat], -1.0
	for _, each := range see.Sizes {
		if each > 0 {
			opponents++
		}
	}
	share := 1 / math.Sqrt(opponents)
	switch {
	case seat == see.Seat && by >= 0 && size == 9:
		return 100
	case seat == see.Seat && by >= 0 && size == 8:
		return 14
	case seat == see.Seat && by >= 0:
		return 6
	case seat == see.Seat && size == 1:
		return -100
	case seat == see.Seat:
		return -6
	case by >= 0 && size == 9:
		return -50 * share
	case by >= 0 && size == 8:
		return -10 * share
	case by >= 0 && size == 7:
		return -4 * share
	case by >= 0:
		return -0.5 * share
	case size == 1:
		return 10 * share
	}
	return 0.5 * share
}

// waits tells whether somebody who has not passed yet, and is not attacked, has so many cards after us.
func waits(see Observation, cards int) bool {
	after, seat := -see.Passes-1, see.Seat
	for _, size := range see.Sizes {
		if size > 0 {
			after++
		}
	}
	for after > 0 {
		seat = (seat + 1) % see.Seats
		if see.Sizes[seat] > 0 {
			after--
			if seat != *see.Attacked && see.Hands[seat] >= cards {
				return true
			}
		}
	}
	return false
}

// value is what playing this card gains, above 0 if it is better than to pass.
func value(see Observation, card string, target Target) float64 {
	me, attacked, spare := see.Seat, *see.Attacked, 0.2*math.Max(0, float64(len(see.Hand)-4))
	by := lead(see, attacked)
	now, cost := points(see, attacked, by), costs[card]-spare
	if attacked != me && card != WordLostAtSea && by <= 1 && (see.Sizes[attacked] < 8 && waits(see, 3) || waits(see, 5)) {
		return 0
	}
	switch card {
	case WordLostAtSea:
		return 6 + float64(see.Hands[*target.Number])
	case WordStun:
		if attacked == me && by >= 0 && see.Sizes[me] == 9 {
			return float64(see.Hands[*target.Number])
		}
		return 0
	case WordSwimAway:
		return -now - cost
	case WordSwitcheroo:
		return points(see, *target.Number, lead(see, *target.Number)) - now - cost
	}
	if target.Number != nil && *target.Number != attacked {
		return 0
	}
	// The cheapest of all sets of cards that turn the encounter together with this one.
	sign, used, best := 1, false, 0.0
	if target.Number == nil {
		sign = -1
	}
	// Near the end others can turn a narrow win: of two cards of theirs each adds 2 at most.
	if size := see.Sizes[me]; attacked == me && sign*adds[card] > 0 && by >= 0 {
		if size == 9 && by < 4 {
			return 20 - cost
		}
		if size >= 7 && by < 2 {
			return 3 - cost
		}
	}
	type way struct {
		by   int
		cost float64
	}
	ways := []way{{by + sign*adds[card], cost}}
	for _, other := range see.Hand {
		if other == card && !used {
			used = true
			continue
		}
		small := 0
		switch {
		case other == WordFishFood || other == WordSunkenTreasure || other == WordCaughtInTheNet:
			small = adds[other]
		case other == WordSchoolOfFish && (*see.Encounter.Number <= 3 || see.Sizes[attacked] <= 3):
			small = 4
		}
		if small < 0 {
			small = -small
		}
		up := 1
		if by >= 0 {
			up = -1
		}
		for _, each := range ways {
			if small != 0 && (other != WordSchoolOfFish || (up > 0) == (see.Sizes[attacked] <= 3)) {
				ways = append(ways, way{each.by + up*small, each.cost + costs[other] - spare})
			}
		}
	}
	for _, each := range ways {
		best = math.Max(best, points(see, attacked, each.by)-now-each.cost)
	}
	return best
}

func main() {
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
			out.Encode(map[string]any{"type": "ready"})
		case "decide":
			out.Encode(map[string]any{"type": "choose", "id": message.ID, "picks": choose(message)})
		}
	}
}
