/**
 * HTML as a value: the tag `html` escapes whatever is put into it, so that the text of documents, questions and models can only
 * ever be text. Put values between tags or into attributes in double quotes, never into a tag name, a script or a style.
 */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0] ?? '';
  parts.forEach((part, index) => {
    text += render(part) + (strings[index + 1] ?? '');
  });
  return new Html(text);
}

/** For text that is ours and HTML already: the style and the script. Never for anything that was read. */
export function trusted(text: string): Html {
  return new Html(text);
}

export function escapeHtml(text: string): string {
  // A parser drops or replaces these control characters; shown as U+FFFD nothing that was there is hidden.
  return text.replace(/[&<>"'`]|[\0-\b\v\f\x0E-\x1F\x7F]/g, (mark) => ENTITIES[mark] ?? '\uFFFD');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}
