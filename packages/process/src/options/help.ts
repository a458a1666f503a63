import { envOf, flagOf, type OptionDefinition, type OptionDefinitions } from './definition.ts';

/** What the head of the help text says. */
export interface HelpInput {
  program?: string;
  description?: string;
  envPrefix: string;
}

/** One option, ready to be shown. */
interface OptionRow {
  flag: string;
  short?: string;
  type: string;
  default: string;
  env: string;
  description: string;
  group: string;
}

const lastGroup = 'Other';

const builtinRows = (envPrefix: string): OptionRow[] => [
  {
    flag: 'config',
    type: 'string',
    default: '',
    env: `${envPrefix}_CONFIG`,
    description: 'YAML file with options: names of flags without dashes as keys. Flags and environment win over it.',
    group: lastGroup,
  },
  { flag: 'help', short: 'h', type: 'boolean', default: '', env: '', description: 'Show this text.', group: lastGroup },
  { flag: 'version', type: 'boolean', default: '', env: '', description: 'Show the version.', group: lastGroup },
];

/** The options as rows, grouped in the order of their definition; the built-in ones come last. */
function optionGroups(definitions: OptionDefinitions, envPrefix: string): Map<string, OptionRow[]> {
  const rows = Object.entries(definitions).map(([key, definition]) => optionRow(key, definition, envPrefix));
  const others = rows.filter((row) => row.group === lastGroup);
  const named = rows.filter((row) => row.group !== lastGroup);
  return Map.groupBy([...named, ...others, ...builtinRows(envPrefix)], (row) => row.group);
}

function optionRow(key: string, definition: OptionDefinition, envPrefix: string): OptionRow {
  return {
    flag: flagOf(key, definition),
    ...(definition.short !== undefined && { short: definition.short }),
    type: definition.type === 'choice' ? definition.choices.join('|') : typeName[definition.type],
    default: shownDefault(definition),
    env: envOf(key, definition, envPrefix),
    description: description(definition),
    group: definition.group ?? lastGroup,
  };
}

const typeName = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  duration: 'duration',
  list: 'list',
  map: 'key=value,…',
  gates: 'Name=boolean,…',
} as const;

function shownDefault(definition: OptionDefinition): string {
  if (definition.type === 'gates') return '';
  if ('required' in definition && definition.required) return 'required';
  if (definition.type === 'boolean') return String(definition.default ?? false);
  if (definition.type === 'list') return (definition.default ?? []).join(',');
  if (definition.type === 'map') {
    return Object.entries(definition.default ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
  }
  return definition.default === undefined ? '' : String(definition.default);
}

function description(definition: OptionDefinition): string {
  const deprecated = definition.deprecated === undefined ? '' : ` Deprecated: ${definition.deprecated}.`;
  if (definition.type !== 'gates') return definition.description + deprecated;
  const gates = Object.entries(definition.gates)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, gate]) => `${name} (${gate.stage}, default ${gate.default}): ${gate.description}`);
  return [definition.description + deprecated, ...gates].join('\n');
}

/** The text of --help: each flag with its type, default and environment variable. */
export function helpText(
  definitions: OptionDefinitions,
  { program = 'program', description, envPrefix }: HelpInput,
): string {
  const lines = [`Usage: ${program} [flags]`];
  if (description !== undefined) lines.push('', description);
  for (const [group, rows] of optionGroups(definitions, envPrefix)) {
    lines.push('', `${group}:`);
    for (const row of rows) lines.push(...helpLines(row));
  }
  return `${lines.join('\n')}\n`;
}

function helpLines({ flag, short, type, default: value, env, description }: OptionRow): string[] {
  const type_ = type === 'boolean' ? '' : ` ${type}`;
  const facts = [
    ...(value === '' ? [] : [value === 'required' ? value : `default ${value}`]),
    ...(env === '' ? [] : [`env ${env}`]),
  ];
  const [first = '', ...more] = description.split('\n');
  const text = facts.length === 0 ? first : `${first} (${facts.join('; ')})`;
  return [
    `  ${short === undefined ? '' : `-${short}, `}--${flag}${type_}`,
    ...[text, ...more].map((line) => `        ${line}`),
  ];
}

/** The same as markdown tables, for the reference pages. */
export function referenceTable(definitions: OptionDefinitions, envPrefix: string): string {
  const parts = [...optionGroups(definitions, envPrefix)].map(([group, rows]) =>
    [`### ${group}`, '', '| flag | type | default | environment | meaning |', '| --- | --- | --- | --- | --- |']
      .concat(rows.map(tableRow))
      .join('\n'),
  );
  return `${parts.join('\n\n')}\n`;
}

function tableRow(row: OptionRow): string {
  const code = (text: string) => (text === '' || text === 'required' ? text : `\`${text}\``);
  const flag = row.short === undefined ? code(`--${row.flag}`) : `${code(`-${row.short}`)}, ${code(`--${row.flag}`)}`;
  const cells = [flag, row.type, code(row.default), code(row.env), row.description.replaceAll('\n', '<br>')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
