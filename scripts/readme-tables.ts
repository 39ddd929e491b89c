/** `npm run readme:tables`: writes the tables of README.md anew from the committed results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fill } from './readme-blocks.ts';
import { README, readmeBlocks } from './readme-sources.ts';

// It takes none, and what was meant to ask for help must not write.
parseArgs({ options: {} });
const before = readFileSync(README, 'utf8');
const after = fill(before, readmeBlocks());
if (after !== before) writeFileSync(README, after);
console.log(after === before ? 'README.md is up to date.' : 'README.md was brought up to date.');
