/** Server-sent events out of a byte stream, as the HTML standard parses them: comments, CRLF, split characters, several data lines. */
export interface SseEvent {
  event: string;
  data: string;
}

/** An event that the end of the stream cut off is not given out, as the standard says. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let buffer = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    // A carriage return at the very end may be the first half of CRLF.
    const usable = buffer.endsWith('\r') ? buffer.length - 1 : buffer.length;
    const lines = buffer.slice(0, usable).split(/\r\n|\n|\r/);
    buffer = (lines.pop() ?? '') + buffer.slice(usable);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', data: data.join('\n') };
        event = '';
        data = [];
      } else {
        const [field, value] = splitField(line);
        if (field === 'event') event = value;
        else if (field === 'data') data.push(value);
      }
    }
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
