import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is used of a token of markdown-it. */
interface Token {
  type: string;
  content: string;
  info: string;
  tag: string;
  markup: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
}

interface State {
  tokens: Token[];
  env: { relativePath?: string };
  Token: new (type: string, tag: string, nesting: 0) => Token;
}

/** A paragraph that is only a link to an example, which tests run, shows the example on the site. On GitHub it stays the link. */
export function showExamples(root: string, state: State): void {
  for (const [index, token] of state.tokens.entries()) {
    const [open, , close, ...more] = token.children ?? [];
    const href =
      open?.type === 'link_open' && close?.type === 'link_close' && more.length === 0 ? open.attrGet('href') : null;
    if (token.type !== 'inline' || !href || !/\/examples\/[\w-]+\.ts$/.test(href)) continue;
    const fence = new state.Token('fence', 'code', 0);
    fence.info = 'ts';
    fence.markup = '```';
    fence.content = readFileSync(join(root, 'docs', state.env.relativePath ?? '', '..', href), 'utf8');
    // After the end of the paragraph, which stays as the caption.
    state.tokens.splice(index + 2, 0, fence);
  }
}
