/** Text of a terminal as an SVG. Pure: the same text gives the same picture. */
const COLUMNS = 110;
const CHAR = 7.8;
const LINE = 18;
const MARGIN = 16;
const COLOURS = { background: '#16181d', text: '#d7dae0', heading: '#ffffff', command: '#8b93a1' };

/** Headings start with a dash, commands with a dollar sign; long lines are broken as a terminal breaks them. */
export function terminalPicture(text: string): string {
  const lines = text.trim().split('\n').flatMap(wrap);
  const width = Math.round(COLUMNS * CHAR + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.map(({ text: line, kind }, row) => {
    const y = MARGIN + (row + 1) * LINE - 5;
    return line === '' ? '' : `<text x="${MARGIN}" y="${y}" class="${kind}">${asXml(line)}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>What scripts/demo.sh prints</title>
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${COLOURS.text}}.heading{fill:${COLOURS.heading};font-weight:bold}.command{fill:${COLOURS.command}}</style>
<rect width="100%" height="100%" rx="8" fill="${COLOURS.background}"/>
${rows.join('')}</svg>
`;
}

interface Line {
  text: string;
  kind: 'heading' | 'command' | 'plain';
}

function wrap(line: string): Line[] {
  const kind = line.startsWith('— ') ? 'heading' : line.startsWith('$ ') ? 'command' : 'plain';
  // By characters, not by code units: half an emoji is no character.
  const characters = [...line];
  const parts: Line[] = [{ text: characters.slice(0, COLUMNS).join(''), kind }];
  for (let at = COLUMNS; at < characters.length; at += COLUMNS) {
    parts.push({ text: characters.slice(at, at + COLUMNS).join(''), kind });
  }
  return parts;
}

const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Control characters may not stand in XML at all. */
function asXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, '')
    .replace(/[&<>]/g, (char) => NAMED[char] ?? '');
}
