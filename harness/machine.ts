/** Where and from which code a run was made. */
import { execFileSync } from 'node:child_process';
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Manifest } from './schema.ts';

export function describeMachine(): Manifest['hardware'] {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memory_gib: Math.round(totalmem() / 1024 ** 3),
    platform: `${platform()} ${arch()}`,
  };
}

/** Null outside a git work tree, or without git. */
export function describeGit(cwd: string): Manifest['git'] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return { commit: git('rev-parse', 'HEAD'), dirty: git('status', '--porcelain', '--untracked-files=no') !== '' };
  } catch {
    return null;
  }
}
