/**
 * The pictures in docs/pictures: the page answering a question, and the report of the committed baseline.
 * Needs Chromium, and an index of the demo corpus: tsx scripts/screenshots.ts [--db data/demo.db] [--run results/baseline-extractive]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { readRun } from '../harness/run.ts';
import { summarise } from '../harness/summary.ts';
import { loadConfig } from '../service/config.ts';
import { silentLogger } from '../service/log.ts';
import { startService } from '../service/serve.ts';
import { reportPage } from './report-page.ts';
import { findChromium, launchChromium, NO_CHROMIUM } from './testing/browser.ts';

const QUESTION = 'How do I redact sensitive fields?';
const OUT = fileURLToPath(new URL('../docs/pictures/', import.meta.url));

interface Picture {
  name: string;
  colorScheme: 'light' | 'dark';
  width: number;
  height: number;
}

async function take(browser: Browser, url: string, picture: Picture, prepare: (page: Page) => Promise<void>) {
  const { name, colorScheme, width, height } = picture;
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, deviceScaleFactor: 1.25 });
  const page = await context.newPage();
  await page.goto(url);
  await prepare(page);
  await page.screenshot({ path: join(OUT, `${name}.png`) });
  await context.close();
  console.log(`docs/pictures/${name}.png`);
}

async function pageShots(browser: Browser, db: string): Promise<void> {
  const service = await startService(loadConfig({ ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: db }), { log: silentLogger });
  const url = `${service.url}/#q=${encodeURIComponent(QUESTION)}`;
  const answered = async (page: Page) => {
    await page.locator('#status', { hasText: 'Answered.' }).waitFor();
    await page.locator('#answer button.cite').first().click();
    await page.evaluate('scrollTo(0, 0)');
  };
  try {
    await take(browser, url, { name: 'page', colorScheme: 'light', width: 1200, height: 760 }, answered);
    await take(browser, url, { name: 'page-phone-dark', colorScheme: 'dark', width: 390, height: 760 }, answered);
  } finally {
    await service.close();
  }
}

async function reportShots(browser: Browser, dir: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-shots-'));
  const records = readRun(dir);
  writeFileSync(
    join(folder, 'report.html'),
    reportPage({ dir, records, summary: summarise(records), gate: 'gate.json' }),
  );
  const url = pathToFileURL(join(folder, 'report.html')).href;
  try {
    await take(browser, url, { name: 'report', colorScheme: 'light', width: 1200, height: 820 }, async () => {});
    await take(browser, url, { name: 'report-case', colorScheme: 'dark', width: 1200, height: 820 }, openCase);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first case that was answered wrongly, unfolded, with the passage that it cites. */
async function openCase(page: Page): Promise<void> {
  await page.locator('.filters [data-show=wrong]').click();
  const item = page.locator('.case:not([hidden])', { has: page.locator('a.cite') }).first();
  await item.locator('> summary').click();
  await item.locator('a.cite').first().click();
  await item.evaluate((node) => node.scrollIntoView());
}

const { values } = parseArgs({
  options: {
    db: { type: 'string', default: 'data/demo.db' },
    run: { type: 'string', default: 'results/baseline-extractive' },
  },
});
const chromium = findChromium();
if (chromium === null) {
  console.error(`No pictures: ${NO_CHROMIUM}.`);
  process.exit(1);
}
mkdirSync(OUT, { recursive: true });
const browser = await launchChromium(chromium);
try {
  await pageShots(browser, values.db);
  await reportShots(browser, values.run);
} finally {
  await browser.close();
}
