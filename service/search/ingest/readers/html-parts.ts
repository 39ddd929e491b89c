/** Which elements of a page hold its content, and which only surround it. */
import { Parser } from 'htmlparser2';

type Attributes = Readonly<Record<string, string>>;

export function isMain(name: string, attributes: Attributes): boolean {
  return name === 'main' || name === 'article' || attributes.role === 'main';
}

/** Never text of the document, wherever they stand. */
const NEVER = new Set(
  'head script style template svg math canvas iframe object audio video select button dialog noscript nav menu form'.split(
    ' ',
  ),
);
/** Around the content of a page; inside it, an article has a header of its own. */
const AROUND = new Set(['header', 'footer', 'aside']);
const ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary', 'menu', 'menubar', 'dialog']);
/** Names that generators of documentation and of blogs give to what surrounds a text. */
const NAMES =
  /^(?:nav|navbar|navigation|sidebar|side-?nav|menu|breadcrumbs?|pagination|pager|cookies?(?:-\w+)*|skip-?(?:link|to-?content)|toc|table-of-contents|sphinxsidebar|related|site-?(?:header|footer)|page-?footer|headerlink|anchor-?link|heading-?anchor|sr-only|visually-hidden|edit-this-page|nav-?panel|share-buttons?)$/i;

/** Whether an element is left out with all it holds. */
export function isDropped(name: string, attributes: Attributes, inMain: boolean): boolean {
  if (NEVER.has(name)) return true;
  if (name === 'html' || name === 'body' || isMain(name, attributes)) return false;
  if (!inMain && AROUND.has(name)) return true;
  if ('hidden' in attributes || attributes['aria-hidden'] === 'true') return true;
  if (/display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '')) return true;
  if (attributes.role !== undefined && ROLES.has(attributes.role.toLowerCase())) return true;
  // A heading named like a menu is still a heading.
  if (/^h[1-6]$/.test(name)) return false;
  const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`.slice(0, 500).split(/\s+/);
  return names.some((one) => NAMES.test(one));
}

export interface Survey {
  /** Whether the page says where its content is. */
  hasMain: boolean;
  /** Tables that only place things on the page, by their number from 0: they hold headings or other tables. */
  layoutTables: ReadonlySet<number>;
}

/** What has to be known of a page before its first element is read. */
export function surveyOf(html: string): Survey {
  let [mains, articles, tables] = [0, 0, 0];
  const layoutTables = new Set<number>();
  const open: number[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'article') articles++;
      else if (isMain(name, attributes)) mains++;
      const inner = open.at(-1);
      if (inner !== undefined && (name === 'table' || /^h[1-6]$/.test(name))) layoutTables.add(inner);
      if (name === 'table') open.push(tables++);
    },
    onclosetag(name) {
      if (name === 'table') open.pop();
    },
  });
  parser.write(html);
  parser.end();
  return { hasMain: mains > 0 || articles === 1, layoutTables };
}
