/** `askdocs gate`: is it good enough, and did a change make it worse. */
import { defineCommand } from 'citty';

export const gateCommand = defineCommand({
  meta: { name: 'gate', description: 'Check recorded runs against their floors, and compare two versions.' },
  subCommands: {
    check: () => import('./gate-check.ts').then((m) => m.checkCommand),
    compare: () => import('./gate-compare.ts').then((m) => m.compareCommand),
    noise: () => import('./gate-noise.ts').then((m) => m.noiseCommand),
    floors: () => import('./gate-floors.ts').then((m) => m.floorsCommand),
    power: () => import('./gate-power.ts').then((m) => m.powerCommand),
  },
});
