/** The systemd units of docs/deploy: read by systemd where it is, and holding what docs/deploy.md says of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'docs', 'deploy');
const units = readdirSync(FOLDER).filter((name) => /\.(service|timer)$/.test(name));
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const services = units.filter((name) => name.endsWith('.service'));
const isThere = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;

test.each(services)('%s runs as no root, writes nowhere but where it says, and gains no rights', (name) => {
  const unit = read(name);
  for (const line of ['NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict', 'ProtectHome=yes']) {
    expect(unit.split('\n')).toContain(line);
  }
  expect(unit).toMatch(/^(?:User=(?!root)\w+|DynamicUser=yes)$/m);
});

test('the service goes to the end of its answers, and is not started again and again with wrong settings', () => {
  const unit = read('askdocs.service');
  expect(unit).toContain('RestartPreventExitStatus=64\n');
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20);
});

test('the program that the units start is where the package has it', () => {
  for (const name of ['askdocs.service', 'askdocs-index.service']) {
    const path = /\/node_modules\/askdocs\/(\S+)/.exec(read(name))?.[1] ?? '';
    expect(existsSync(join(ROOT, path))).toBe(true);
  }
});

test.skipIf(!isThere)(
  `systemd reads them${isThere ? '' : ' (skipped: there is no systemd-analyze here)'}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'askdocs-units-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of units) writeFileSync(join(folder, name), onThisMachine(read(name)));
    const paths = units.map((name) => join(folder, name));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' });
    const ours = stderr.split('\n').filter((line) => line.includes('askdocs'));
    expect(ours).toEqual([]);
    expect(status).toBe(0);
    // A word that systemd does not know is found by it.
    writeFileSync(
      join(folder, 'askdocs.service'),
      onThisMachine(read('askdocs.service')).replace('KillMode', 'KilMode'),
    );
    expect(
      spawnSync('systemd-analyze', ['verify', join(folder, 'askdocs.service')], { encoding: 'utf8' }).stderr,
    ).toContain('KilMode');
  },
  60_000,
);

/** Programs are looked for: those of this machine take their places. */
function onThisMachine(unit: string): string {
  return unit
    .replaceAll('/usr/bin/node', process.execPath)
    .replaceAll('/usr/local/bin/llama-server', execFileSync('which', ['true'], { encoding: 'utf8' }).trim())
    .replaceAll('/opt/askdocs/node_modules/askdocs', ROOT.replace(/\/$/, ''));
}
