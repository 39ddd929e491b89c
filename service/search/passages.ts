/** Passages by id, as the contract shapes them. */
import type { Passage } from '../contract.ts';
import type { Db } from './db.ts';
import type { Fused } from './fusion.ts';
import { placeFields } from './place.ts';

interface Row {
  source: string;
  title: string;
  heading: string;
  start: number;
  end: number;
  text: string;
  place: string | null;
}

/** At most `k` passages in the given order, the same text once only. */
export function loadPassages(db: Db, found: readonly Fused[], k: number, baseUrl?: string): Passage[] {
  const select = db.prepare(
    'SELECT f.source, f.title, p.heading, p.start, p."end", p.text, p.place FROM passages p JOIN files f ON f.id = p.file_id WHERE p.id = ?',
  );
  const seen = new Set<string>();
  const passages: Passage[] = [];
  for (const { id, cosine, bm25, fusion } of found) {
    if (passages.length === k) break;
    const row = select.get(id) as Row | undefined;
    const text = row?.text.replace(/\s+/g, ' ').trim() ?? '';
    if (row === undefined || seen.has(text)) continue;
    seen.add(text);
    const { place, heading, ...rest } = row;
    const where = placeFields(row.source, place, baseUrl);
    passages.push({ ...rest, ...where, heading: JSON.parse(heading) as string[], cosine, bm25, fusion });
  }
  return passages;
}
