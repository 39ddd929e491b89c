import { describe, expect, it } from 'vitest';
import { theoreticalRate } from '../theory.ts';
import { createVirtualClock } from './clock.ts';
import { createEngine } from './engine.ts';

const rates = { prefillPerSecond: 1000, stepMs: 10, slotMs: 2 };

function setUp(slots: number) {
  const clock = createVirtualClock();
  const engine = createEngine({ slots, rates, clock });
  const events: string[] = [];
  const ask = (name: string, { tokens = 3, chars = 400, cachePrompt = true, prompt = '' } = {}) =>
    engine.submit({
      prompt: prompt === '' ? name.repeat(chars).slice(0, chars) : prompt,
      cachePrompt,
      answer: Array.from({ length: tokens }, (_, i) => `${i}`),
      onStart: () => {},
      onToken: (text) => events.push(`${name}${text}@${clock.now()}`),
      onEnd: () => events.push(`${name} end@${clock.now()}`),
    });
  return { clock, engine, events, ask };
}

describe('createEngine', () => {
  it('gives the first token when the prompt is evaluated, then one a step', () => {
    const { clock, events, ask } = setUp(1);
    ask('a');
    clock.runUntil(1000);
    // 100 prompt tokens at 1000 a second and a step of 10 ms; then steps of 10 + 2 ms.
    expect(events).toEqual(['a0@110', 'a1@122', 'a2@134', 'a end@134']);
  });

  it('queues what exceeds the slots and takes it in order', () => {
    const { clock, engine, events, ask } = setUp(1);
    const [, second, third] = [ask('a'), ask('b'), ask('c')];
    clock.runUntil(1);
    expect(engine.queued()).toBe(2);
    clock.runUntil(1000);
    expect(events.filter((event) => event.includes('end'))).toEqual(['a end@134', 'b end@268', 'c end@402']);
    expect([second.entry.started, third.entry.started]).toEqual([134, 268]);
  });

  it('evaluates prompts one after another in the time, and holds up who generates meanwhile', () => {
    const { clock, events, ask } = setUp(2);
    ask('a', { tokens: 4 });
    clock.runUntil(115);
    ask('b', { tokens: 1, chars: 2000 });
    clock.runUntil(2000);
    // The step from 122 holds a token of a (2 ms) and 500 prompt tokens of b (500 ms).
    expect(events).toEqual(['a0@110', 'a1@122', 'a2@634', 'b0@634', 'b end@634', 'a3@646', 'a end@646']);
  });

  it('shares the time over the slots: more at once, each slower', () => {
    const tokensIn = (names: string[], ms: number) => {
      const { clock, ask } = setUp(4);
      const entries = names.map((name) => ask(name, { tokens: 100 }).entry);
      clock.runUntil(1000);
      const before = entries.map((entry) => entry.predicted);
      clock.runUntil(1000 + ms);
      return entries.map((entry, i) => entry.predicted - (before[i] ?? 0));
    };
    expect(tokensIn(['a'], 10 * 12)).toEqual([10]);
    expect(tokensIn(['a', 'b', 'c', 'd'], 10 * 18)).toEqual([10, 10, 10, 10]);
  });

  it('splits a prompt longer than a step may hold', () => {
    const { clock, events, ask } = setUp(1);
    ask('a', { tokens: 1, chars: 4 * 3000 });
    clock.runUntil(10_000);
    expect(events[0]).toBe('a0@3020');
  });

  it('frees a slot at the end of the step in which its client left, and forgets a prompt not evaluated whole', () => {
    const { clock, engine, ask } = setUp(1);
    const gone = ask('a');
    clock.runUntil(50);
    gone.cancel();
    expect(engine.slots()[0]).not.toBeNull();
    clock.runUntil(110);
    expect(engine.slots()[0]).toBeNull();
    expect(gone.entry).toMatchObject({ cancelled: true, ended: 110, firstToken: null, predicted: 0 });
    expect(ask('a').entry.cachedTokens).toBe(0);
  });

  it('takes who left out of the queue at once', () => {
    const { clock, engine, ask } = setUp(1);
    ask('a');
    const waiting = ask('b');
    waiting.cancel();
    expect(engine.queued()).toBe(0);
    clock.runUntil(1000);
    expect(waiting.entry).toMatchObject({ started: null, ended: 0 });
  });

  it('evaluates what follows the longest known prefix, and one token at least', () => {
    const { clock, ask } = setUp(1);
    const prefix = 'x'.repeat(400);
    const run = (prompt: string, cachePrompt = true) => {
      const { entry } = ask('p', { prompt, cachePrompt });
      clock.runUntil(clock.now() + 5000);
      return entry.cachedTokens;
    };
    expect(run(`${prefix}one?`)).toBe(0);
    expect(run(`${prefix}one?`)).toBe(100);
    expect(run(`${prefix}two?`)).toBe(100);
    expect(run('y'.repeat(400))).toBe(0);
    // Moved aside when the slot was taken, and found again.
    expect(run(`${prefix}one?`)).toBe(100);
    expect(run(`${prefix}one?`, false)).toBe(0);
  });

  it('prefers the slot that holds the prefix, else the one idle longest', () => {
    const { clock, ask } = setUp(2);
    const slotOf = (name: string) => {
      const { entry } = ask(name);
      clock.runUntil(clock.now() + 5000);
      return entry.slot;
    };
    expect([slotOf('a'), slotOf('b'), slotOf('a'), slotOf('c'), slotOf('d')]).toEqual([0, 1, 0, 1, 0]);
  });

  it.each([1, 2, 4, 8])('answers as often as theory says with %i slots always at work', (slots) => {
    const clock = createVirtualClock();
    const engine = createEngine({ slots, rates, clock });
    let done = 0;
    let asked = 0;
    let evaluated = 0;
    let completion = 0;
    const ask = () => {
      asked += 1;
      const answer = Array.from({ length: 40 + ((asked * 17) % 41) }, () => 'x');
      const prompt = String.fromCharCode(0x4e00 + asked).repeat(600 + ((asked * 131) % 800));
      const job = engine.submit({
        prompt,
        cachePrompt: true,
        answer,
        onStart: () => {},
        onToken: () => {},
        onEnd: () => {
          if (clock.now() > 20_000) {
            done += 1;
            evaluated += job.entry.promptTokens;
            completion += answer.length;
          }
          ask();
        },
      });
    };
    for (let i = 0; i < slots; i += 1) ask();
    clock.runUntil(320_000);
    const work = { evaluated: evaluated / done, completion: completion / done };
    expect(done / 300 / theoreticalRate(rates, work, slots)).toBeCloseTo(1, 1.7);
  });
});
