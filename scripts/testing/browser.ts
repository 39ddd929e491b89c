/** A headless Chromium for tests and pictures, and the accessibility check run in it. */
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const NO_CHROMIUM = 'no Chromium found; install it (apt-get install chromium) or name it in CHROMIUM_PATH';

/** `CHROMIUM_PATH`, or where it usually stands; null when there is none. */
export function findChromium(named = process.env.CHROMIUM_PATH): string | null {
  if (named !== undefined && named !== '') return named;
  return PLACES.find((path) => existsSync(path)) ?? null;
}

export function launchChromium(executablePath: string): Promise<Browser> {
  // Without the sandbox it starts as root too, as in CI; with the rest it looks nothing up on the network.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath, args });
}

/** What axe finds serious or critical on the page as it is now: the rule and where. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`));
}

/** Everything a page complains of: errors thrown, errors and warnings on its console. */
export function complaintsOf(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) found.push(message.text());
  });
  return found;
}
