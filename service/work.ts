/** Work in flight: each piece ends when its client leaves, and all of it when the service must stop. */
import { CodedError } from './contract.ts';

export interface Task {
  signal: AbortSignal;
  /** The client is gone. */
  abort(): void;
  end(): void;
}

export interface Work {
  /** A piece of work; `left` fires when its client leaves. */
  begin(left: AbortSignal): Task;
  count(): number;
  /** Resolves when nothing is in flight, or after `ms`. */
  idle(ms: number): Promise<void>;
  /** Ends all that is in flight with this error. */
  abortAll(reason: CodedError): void;
}

export function createWork(): Work {
  const running = new Set<AbortController>();
  let onIdle: () => void = () => undefined;
  return {
    begin(left) {
      const controller = new AbortController();
      const abort = () => controller.abort(new CodedError('cancelled', 'The client left.'));
      if (left.aborted) abort();
      left.addEventListener('abort', abort, { once: true });
      running.add(controller);
      return {
        signal: controller.signal,
        abort,
        end() {
          left.removeEventListener('abort', abort);
          running.delete(controller);
          if (running.size === 0) onIdle();
        },
      };
    },
    count: () => running.size,
    async idle(ms) {
      if (running.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      onIdle = () => undefined;
    },
    abortAll(reason) {
      for (const controller of running) controller.abort(reason);
    },
  };
}
