#!/usr/bin/env node
// The sources are TypeScript and run as they are: register the loader, then start the command.
import { register } from 'tsx/esm/api';

register();
await import('./askdocs.ts');
