import { parse as parseYaml, YAMLParseError } from 'yaml';

/** A YAML document as JSON. Throws SyntaxError with the message of the API server as far as it can be had. */
export function parseYamlText(body: Buffer): unknown {
  try {
    // Aliases are bounded, so that a small body cannot grow without end.
    return parseYaml(body.toString('utf8'), { maxAliasCount: 100, uniqueKeys: false, logLevel: 'error' }) ?? null;
  } catch (error) {
    if (!(error instanceof YAMLParseError || error instanceof ReferenceError || error instanceof TypeError))
      throw error;
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    const [problem = ''] = error.message.split(' at line ', 1);
    throw new SyntaxError(`yaml: ${line === undefined ? '' : `line ${line}: `}${problem}`, { cause: error });
  }
}
