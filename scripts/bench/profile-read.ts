/** Reads a CPU profile of V8: the share of busy time by part, and by function with all it calls. */
import { z } from 'zod';

const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

export interface ProfileShares {
  busySeconds: number;
  /** Share of the time spent in the part itself: a package, a file of ours, or a native function. */
  self: [part: string, share: number][];
  /** Share of the time spent in a function of ours and in all it calls. */
  within: [name: string, share: number][];
}

export function readProfile(text: string): ProfileShares {
  const { nodes, samples, timeDeltas } = profileSchema.parse(JSON.parse(text));
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const self = new Map<string, number>();
  const within = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, i) => {
    const frame = frames.get(id);
    const delta = timeDeltas[i] ?? 0;
    if (frame === undefined || frame.functionName === '(idle)') return;
    busy += delta;
    add(self, partOf(frame), delta);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const name = ownFunction(frames.get(at));
      if (name !== undefined) seen.add(name);
    }
    for (const name of seen) add(within, name, delta);
  });
  const sorted = (map: Map<string, number>) =>
    [...map].map(([name, time]): [string, number] => [name, time / busy]).sort((a, b) => b[1] - a[1]);
  return { busySeconds: busy / 1e6, self: sorted(self), within: sorted(within) };
}

interface Frame {
  functionName: string;
  url: string;
}

function partOf({ functionName, url }: Frame): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return inPackage ?? ownFile(url) ?? (url.startsWith('node:') ? url : `${functionName || 'native code'}`);
}

function ownFile(url: string): string | undefined {
  return url.includes('node_modules') ? undefined : /\/((?:service|scripts|harness)\/.*)$/.exec(url)?.[1];
}

function ownFunction(frame: Frame | undefined): string | undefined {
  const file = frame === undefined ? undefined : ownFile(frame.url);
  return file === undefined || frame?.functionName === '' ? undefined : `${frame?.functionName} (${file})`;
}

function add(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}
