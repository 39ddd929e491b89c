/** The report in a real browser, opened from disk. Needs Chromium. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  complaintsOf,
  findChromium,
  launchChromium,
  NO_CHROMIUM,
  seriousViolations,
} from '../../scripts/testing/browser.ts';
import { renderHtml } from './html.ts';
import { loadBase, loadChanged } from './testing/runs.ts';

const path = findChromium();
const dir = mkdtempSync(join(tmpdir(), 'askdocs-report-'));
let browser: Browser | undefined;

beforeAll(async () => {
  if (path !== null) browser = await launchChromium(path);
});
afterAll(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
});

const browserTest = (name: string, run: () => Promise<void>) =>
  test(name, async (context) => {
    if (path === null) context.skip(NO_CHROMIUM);
    await run();
  });

let files: Promise<{ one: string; two: string }> | undefined;
function reports() {
  files ??= Promise.all([loadBase(), loadChanged()]).then(([base, changed]) => {
    const write = (name: string, text: string) => {
      writeFileSync(join(dir, name), text);
      return pathToFileURL(join(dir, name)).href;
    };
    return {
      one: write('one.html', renderHtml(base.run, base.summary)),
      two: write('two.html', renderHtml(changed.run, changed.summary, base)),
    };
  });
  return files;
}

async function open(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[]; loaded: string[] }> {
  const page = await browser!.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints = complaintsOf(page);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(url);
  return { page, complaints, loaded };
}

const shownCases = (page: Page) => page.locator('.case:not([hidden])').count();
const status = (page: Page) => page.locator('#shown').textContent();

browserTest('opens from disk, loads nothing else, and runs nothing of what it shows', async () => {
  for (const url of Object.values(await reports())) {
    const { page, complaints, loaded } = await open(url);
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('img, main script, iframe').count()).toBe(0);
    expect(await page.locator('#case-limit .question').textContent()).toContain('<script>window.pwned=1</script>');
    expect(loaded).toEqual([url]);
    expect(complaints).toEqual([]);
    await page.close();
  }
});

browserTest('filters, searches, and keeps the view in the address', async () => {
  const { page } = await open((await reports()).one);
  expect(await shownCases(page)).toBe(6);
  await page.getByRole('button', { name: /^Wrong/ }).click();
  expect(await shownCases(page)).toBe(4);
  expect(await status(page)).toBe('4 of 6 cases');
  expect(await page.getByRole('button', { name: /^Wrong/ }).getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('off_topic');
  expect(await shownCases(page)).toBe(1);
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('');
  await page.getByRole('button', { name: /^All/ }).click();
  await page.getByLabel('Search').fill('PENGUINS limit');
  expect(await shownCases(page)).toBe(1);
  expect(page.url()).toContain('#q=PENGUINS');
  await page.reload();
  expect(await shownCases(page)).toBe(1);
  await page.getByLabel('Search').fill('nowhere to be found');
  expect(await shownCases(page)).toBe(0);
  await page.getByRole('button', { name: 'Show all cases' }).click();
  expect(await shownCases(page)).toBe(6);
  await page.close();
});

browserTest('a count of the matrix shows its cases', async () => {
  const { page } = await open((await reports()).one);
  await page.getByRole('button', { name: 'factual, refused: 1' }).click();
  expect(await shownCases(page)).toBe(1);
  expect(await page.locator('.case:not([hidden])').getAttribute('id')).toBe('case-refused');
  expect(await page.locator('#other').textContent()).toBe('wrong refusal');
  await page.close();
});

browserTest(
  'is used by keyboard alone: a case opens, a citation opens its passage and takes the focus there',
  async () => {
    const { page } = await open((await reports()).one);
    await page.locator('#case-limit > summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#case-limit').getAttribute('open')).not.toBeNull();
    await page.locator('#case-limit a.cite').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#c0-0-p1').getAttribute('open')).not.toBeNull();
    expect(await page.evaluate('document.activeElement.parentElement.id')).toBe('c0-0-p1');
    expect(await page.locator('#c0-0-p1 mark').textContent()).toBe('The limit of a body is 1 MiB.');
    await page.close();
  },
);

browserTest('a link to a case opens it, also where a filter hides it', async () => {
  const { page } = await open(`${(await reports()).one}#case-broken`);
  expect(await page.locator('#case-broken').getAttribute('open')).not.toBeNull();
  await page.getByRole('button', { name: /^Unsupported/ }).click();
  expect(await page.locator('#case-broken').isVisible()).toBe(false);
  await page.evaluate(`location.hash = 'case-nothing'`);
  await page.locator('#case-nothing .body').waitFor({ state: 'visible' });
  await page.close();
});

browserTest('two runs: changed cases, side by side', async () => {
  const { page } = await open((await reports()).two);
  await page.getByRole('button', { name: /^Changed/ }).click();
  const ids = await page.locator('.case:not([hidden])').evaluateAll((all) => all.map((one) => one.id));
  expect(ids).toEqual(expect.arrayContaining(['case-limit', 'case-logging']));
  expect(ids).not.toContain('case-weather');
  await page.locator('#case-limit > summary').click();
  const [left, right] = await page.locator('#case-limit .side').all();
  const [a, b] = [await left!.boundingBox(), await right!.boundingBox()];
  expect(b!.x).toBeGreaterThan(a!.x + a!.width - 1);
  expect(b!.y).toBe(a!.y);
  await page.close();
});

browserTest('prints with the cases open, and folds them again', async () => {
  const { page } = await open((await reports()).one);
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  expect(await page.locator('.case[open]').count()).toBe(6);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  expect(await page.locator('.case[open]').count()).toBe(0);
  expect((await page.pdf()).length).toBeGreaterThan(10_000);
  await page.close();
});

browserTest('without script every case is there, and no control that would do nothing', async () => {
  const { page } = await open((await reports()).one, { javaScriptEnabled: false });
  expect(await page.locator('.case').count()).toBe(6);
  expect(await page.locator('#filters').isVisible()).toBe(false);
  await page.close();
});

browserTest(
  'nothing serious for axe, and nothing wider than the screen: light and dark, desktop and phone',
  async () => {
    const { one, two } = await reports();
    for (const [url, colorScheme, width] of [
      [one, 'light', 1280],
      [one, 'dark', 390],
      [two, 'dark', 1280],
      [two, 'light', 390],
    ] as const) {
      const { page } = await open(url, { colorScheme, viewport: { width, height: 844 } });
      expect(await seriousViolations(page)).toEqual([]);
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.close();
    }
  },
);
