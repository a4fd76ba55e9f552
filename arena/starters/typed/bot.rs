// A bot for GAME in Rust and its standard library. Write `choose`; the rest may stay as it is.

mod game;
mod json;

use game::{Choice, Event, Observation};
use json::Json;
use std::io::{self, BufRead, Write};

/// What is asked.
#[allow(dead_code)]
struct Question {
    least: usize,
    most: usize,
    /// Milliseconds for the answer.
    time: i64,
    options: Vec<Choice>,
    observation: Observation,
    events: Vec<Event>,
}

/// Picks between `least` and `most` different ones of `options`, by index. Here: any.
///
/// `game.rs` has the types; `arena rules GAME` tells what they mean.
/// Look at things with `eprintln!("{:?}", ...)`.
fn choose(question: &Question, dice: &mut Dice) -> Vec<usize> {
    let count = question.options.len();
    let mut picks: Vec<usize> = (0..count).collect();
    let size = question.least + dice.below(question.most - question.least + 1);
    for i in 0..size {
        let j = i + dice.below(count - i);
        picks.swap(i, j);
    }
    picks.truncate(size);
    picks
}

/// Chance from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    /// A number from 0 to n - 1.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn main() -> io::Result<()> {
    let mut dice = Dice(0);
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message = Json::parse(&line?);
        match message.get::<String>("type").as_str() {
            // a match begins: its seed lets equal questions get equal answers
            "hello" => {
                dice = Dice(message.get::<i64>("seed") as u64);
                writeln!(out, r#"{{"type":"ready"}}"#)?;
            }
            "decide" => {
                let question = Question {
                    least: message.get("least"),
                    most: message.get("most"),
                    time: message.get("time"),
                    options: message.get("options"),
                    observation: message.get("observation"),
                    events: message.get("events"),
                };
                let picks = choose(&question, &mut dice);
                let id: String = message.get("id");
                // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
                writeln!(out, r#"{{"type":"choose","id":"{id}","picks":{picks:?}}}"#)?;
            }
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
