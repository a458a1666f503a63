import { nameSyntax } from '@flotilla/schema';
import type { TextCheck } from './field.ts';

// The rules for names, each with the exact message of the API server: clients and users search for it.

const { dnsLabel: label, dnsSubdomain: subdomain, qualifiedName: qualifiedPart } = nameSyntax;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

const exactly = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

function regexSentence(sentence: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${sentence} (${examples.length > 0 ? `e.g. ${shown}` : ''}regex used for validation is '${pattern}')`;
}

const longerThan = (text: string, limit: number, unit: 'characters' | 'bytes'): string[] =>
  Buffer.byteLength(text) > limit ? [`must be no more than ${limit} ${unit}`] : [];

const subdomainPattern = exactly(subdomain);
const subdomainSentence = regexSentence(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  'example.com',
);

/** `example.com`: names of most kinds. */
export const dnsSubdomain: TextCheck = (text) => [
  ...longerThan(text, 253, 'characters'),
  ...(subdomainPattern.test(text) ? [] : [subdomainSentence]),
];

const labelWithUnderscore = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const subdomainWithUnderscore = `${labelWithUnderscore}(\\.${labelWithUnderscore})*`;
const underscorePattern = exactly(subdomainWithUnderscore);

/** Search domains of pods may have underscores. */
export const dnsSubdomainWithUnderscore: TextCheck = (text) => [
  ...longerThan(text, 253, 'characters'),
  ...(underscorePattern.test(text)
    ? []
    : [
        regexSentence(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
          subdomainWithUnderscore,
          'example.com',
        ),
      ]),
];

const labelPattern = exactly(label);
const labelSentence = regexSentence(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  'my-name',
  '123-abc',
);

/** `my-name`: names of namespaces, containers and volumes. */
export const dnsLabel: TextCheck = (text) => {
  const errors = longerThan(text, 63, 'characters');
  if (labelPattern.test(text)) return errors;
  return [...errors, subdomainPattern.test(text) ? 'must not contain dots' : labelSentence];
};

const label1035Pattern = exactly(label1035);
const label1035Sentence = regexSentence(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  'my-name',
  'abc-123',
);

/** A label that starts with a letter: names of kinds and plurals. */
export const dns1035Label: TextCheck = (text) => [
  ...longerThan(text, 63, 'characters'),
  ...(label1035Pattern.test(text) ? [] : [label1035Sentence]),
];

const wildcard = `\\*\\.${subdomain}`;
const wildcardPattern = exactly(wildcard);

/** `*.example.com`: hosts of an Ingress. */
export const wildcardSubdomain: TextCheck = (text) => [
  ...longerThan(text, 253, 'characters'),
  ...(wildcardPattern.test(text)
    ? []
    : [
        regexSentence(
          "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
          wildcard,
          '*.example.com',
        ),
      ]),
];

/** What may stand in a URL path: names of roles, of Leases of other systems and the like. */
export const pathSegment: TextCheck = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
};

const qualifiedPattern = exactly(qualifiedPart);
const qualifiedSentence =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** `name` or `prefix/name`: keys of labels and annotations, finalizers. */
export const qualifiedName: TextCheck = (text) => {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${regexSentence(qualifiedSentence, qualifiedPart, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const [first = ''] = parts;
  if (parts.length === 2) {
    if (first === '') errors.push('prefix part must be non-empty');
    else
      errors.push(...dnsSubdomain(first).map((error) => `prefix part ${error.replace('253 characters', '253 bytes')}`));
  }
  const name = parts.at(-1) ?? '';
  if (name === '') errors.push('name part must be non-empty');
  else errors.push(...longerThan(name, 63, 'bytes').map((error) => `name part ${error}`));
  if (!qualifiedPattern.test(name)) {
    errors.push(`name part ${regexSentence(qualifiedSentence, qualifiedPart, 'MyName', 'my.name', '123-abc')}`);
  }
  return errors;
};

const labelValueText = `(${qualifiedPart})?`;
const labelValuePattern = exactly(labelValueText);

export const labelValue: TextCheck = (text) => [
  ...longerThan(text, 63, 'bytes'),
  ...(labelValuePattern.test(text)
    ? []
    : [
        regexSentence(
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
          labelValueText,
          'MyValue',
          'my_value',
          '12345',
        ),
      ]),
];

/** Keys of ConfigMaps and Secrets. */
export const configKey: TextCheck = (text) => {
  const errors = longerThan(text, 253, 'characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(text)) {
    errors.push(
      regexSentence(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        '[-._a-zA-Z0-9]+',
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  }
  if (text === '.') errors.push("must not be '.'");
  if (text === '..') errors.push("must not be '..'");
  else if (text.startsWith('..')) errors.push("must not start with '..'");
  return errors;
};

/** Names of environment variables: any printable ASCII but `=`. */
export const envVarName: TextCheck = (text) => {
  if (text === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]+$/.test(text)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

/** Names of ports of containers and services. */
export const portName: TextCheck = (text) => {
  const errors = longerThan(text, 15, 'characters');
  if (!/^[-a-z0-9]+$/.test(text)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(text)) errors.push('must contain at least one letter (a-z)');
  if (text.includes('--')) errors.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
};

export const isPortNumber = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65535;
export const portNumberSentence = 'must be between 1 and 65535, inclusive';
