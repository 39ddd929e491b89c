/**
 * Text of documents and answers inside a prompt: between fences that it cannot close, with what a chat template would read as
 * its own tokens broken up. Only the prompt's copy is changed.
 */
import { createHmac } from 'node:crypto';

/** The same text always has the same fence, so that a prefix cache keeps working; without the secret nobody can write it. */
export function fence(name: string, text: string, secret: string): string {
  const mark = createHmac('sha256', secret).update(`${name}\n${text}`).digest('hex').slice(0, 16);
  return `<${name} ${mark}>\n${neutralise(text)}\n</${name} ${mark}>`;
}

/** `<|im_end|>`, `</s>`, `[INST]`, `<end_of_turn>`: llama.cpp would turn them into the real control tokens. */
function neutralise(text: string): string {
  return text
    .replace(/<\|/g, '< |')
    .replace(/\|>/g, '| >')
    .replace(/<(\/?(?:s|bos|eos|start_of_turn|end_of_turn|start_header_id|end_header_id|eot_id|\/?SYS)>)/gi, '< $1')
    .replace(/\[(\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS))\]/gi, '[ $1]')
    .replace(/<(\/?(?:passage|statement) [0-9a-f]{16}>)/gi, '< $1');
}
