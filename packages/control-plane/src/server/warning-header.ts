import type { ApiResponse } from '../contracts/exchange.ts';

/** Letters of all warnings together, as kube-apiserver: clients refuse long headers. */
const maxLetters = 4096;
/** Letters of each, if all together are too long. */
const maxLettersEach = 256;

/** The answer with its warnings, each once. */
export function withWarnings(answer: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return answer;
  const texts = shortened([...new Set(warnings)]);
  return { ...answer, headers: { ...answer.headers, warning: texts.map((text) => `299 - ${JSON.stringify(text)}`) } };
}

/** Too many letters: the beginning of each, until the limit is passed. */
function shortened(texts: readonly string[]): readonly string[] {
  if (texts.reduce((sum, text) => sum + text.length, 0) <= maxLetters) return texts;
  const short = texts.map((text) => text.slice(0, maxLettersEach));
  let letters = 0;
  const end = short.findIndex((text) => {
    const isFull = letters > maxLetters;
    letters += text.length;
    return isFull;
  });
  return end < 0 ? short : short.slice(0, end);
}
