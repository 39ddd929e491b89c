import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { shareOut } from './onnx.ts';
import { createWorkers } from './workers.ts';

interface Task {
  number: number;
  ms?: number;
  fail?: string;
  exit?: boolean;
}

const file = (name: string) => fileURLToPath(new URL(`../testing/${name}`, import.meta.url));
const workers = (idleMs = 200) =>
  createWorkers<Task, number>({ file: file('double-worker.js'), name: 'double', threads: 2, idleMs });

describe('threads for work', () => {
  it('give results in the order of the tasks, whichever is done first', async () => {
    const two = workers();
    expect(await two.run([{ number: 1, ms: 100 }, { number: 2 }, { number: 3, ms: 20 }, { number: 4 }])).toEqual([
      2, 4, 6, 8,
    ]);
    expect(two.size()).toBeLessThanOrEqual(2);
    expect(await two.run([])).toEqual([]);
  });

  it('end when there is nothing to do, and start again', async () => {
    const two = workers(20);
    await two.run([{ number: 1 }, { number: 2 }]);
    await expect.poll(() => two.size()).toBe(0);
    expect(await two.run([{ number: 5 }])).toEqual([10]);
  });

  it('pass on what a task throws, to all who wait, and go on after it', async () => {
    const two = workers();
    // Who waits must be there when it fails: it fails before the run that brought the failure is told.
    const other = expect(two.run([{ number: 1, ms: 60_000 }])).rejects.toThrow('Terminating');
    await expect(two.run([{ number: 1 }, { number: 2, fail: 'no such word' }])).rejects.toThrow('no such word');
    await other;
    expect(await two.run([{ number: 3 }])).toEqual([6]);
  });

  it('say so when a thread ends in the middle of its task', async () => {
    const two = workers();
    await expect(two.run([{ number: 1, exit: true }])).rejects.toThrow('gone');
    expect(await two.run([{ number: 3 }])).toEqual([6]);
  });

  it('say so when a thread cannot start', async () => {
    const broken = createWorkers<Task, number>({ file: file('broken-worker.js'), name: 'double', threads: 2 });
    await expect(broken.run([{ number: 1 }])).rejects.toThrow('it cannot start');
    await expect(broken.run([{ number: 1 }])).rejects.toThrow('it cannot start');
  });

  it('keep a process alive while they work and no longer', async () => {
    const script = `
      const { createWorkers } = await import(${JSON.stringify(file('../embed/workers.ts'))});
      const workers = createWorkers({ file: ${JSON.stringify(file('double-worker.js'))}, name: 'double', threads: 2, idleMs: 60_000 });
      console.log(await workers.run([{ number: 21, ms: 50 }]));`;
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    expect(stdout).toBe('[ 42 ]\n');
  });
});

it('cores are shared out over sessions, of a large model fewer', () => {
  expect(shareOut(1, 23e6)).toEqual({ workers: 1, threads: 1 });
  expect(shareOut(2, 23e6)).toEqual({ workers: 2, threads: 1 });
  expect(shareOut(16, 23e6)).toEqual({ workers: 4, threads: 4 });
  expect(shareOut(8, 400e6)).toEqual({ workers: 2, threads: 4 });
  expect(shareOut(8, 2_300e6)).toEqual({ workers: 1, threads: 8 });
  expect(shareOut(availableParallelism(), 23e6).workers).toBeGreaterThan(0);
});
