/** HTML tags and link targets are no words of the document: they are left out of what is indexed and embedded. */
export function withoutMarkup(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]{0,500}>/gi, ' ')
    .replace(/\]\((?:https?:|#|\.{0,2}\/)[^)\s]*(?:\s[^)]*)?\)/g, '] ');
}
