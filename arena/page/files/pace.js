// Sentences one after the other, each for as long as it takes to read it.
// @ts-check

const LEAST = 800;
const PER_WORD = 200;

/** @param {string} text @returns {number} milliseconds for which it stays */
const readingTime = (text) => Math.max(LEAST, PER_WORD * text.split(/\s+/).length);

export class Narration {
  /** @param {(sentence: string) => void} say */
  constructor(say) {
    this.say = say;
    this.speed = 1;
    /** @type {(string | (() => void))[]} what is to be said, and done */
    this.queue = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * Say sentences once all others are said, then act.
   * @param {string[]} sentences
   * @param {() => void} act
   */
  add(sentences, act) {
    this.queue.push(...sentences, act);
    if (!this.timer) this.next();
  }

  next() {
    this.timer = undefined;
    while (this.queue.length && !this.timer) {
      const next = /** @type {string | (() => void)} */ (this.queue.shift());
      if (typeof next === 'string') {
        this.say(next);
        this.timer = setTimeout(() => this.next(), readingTime(next) / this.speed);
      } else next();
    }
  }

  /** Say and do at once what is left. */
  skip() {
    const left = this.queue;
    this.stop();
    for (const each of left) {
      if (typeof each === 'string') this.say(each);
      else each();
    }
  }

  /** Forget what is left. */
  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.queue = [];
  }
}
