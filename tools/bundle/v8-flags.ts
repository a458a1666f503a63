/**
 * The text of a program that sets flags of V8 before its own code runs, and after the modules of Node that it imports are loaded:
 * with other flags than it was built with, Node cannot use the code that it comes compiled with, a fifth of the start of an agent.
 */
export function withV8Flags(program: string, flags: readonly string[]): string {
  if (flags.length === 0) return program;
  const [, hashbang = '', rest = ''] = /^(#!.*\n)?([\s\S]*)$/.exec(program) ?? [];
  const lines = flags.map((flag) => `process.getBuiltinModule('node:v8').setFlagsFromString('${flag}');\n`);
  return [hashbang, ...lines, rest].join('');
}
