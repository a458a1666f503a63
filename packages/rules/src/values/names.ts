/** Syntax of names without anchors and limits: parts of patterns, which the messages of the API server show. */
export const nameSyntax = {
  dnsLabel: '[a-z0-9]([-a-z0-9]*[a-z0-9])?',
  dnsSubdomain: '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*',
  qualifiedName: '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
} as const;

const { dnsLabel: label, dnsSubdomain: subdomain, qualifiedName: qualified } = nameSyntax;

/** A label of RFC 1123, without its limit of 63 characters: for the `pattern` of a schema. */
export const dnsLabelPattern = `^${label}$`;
/** A subdomain of RFC 1123, without its limit of 253 characters. */
export const dnsSubdomainPattern = `^${subdomain}$`;
/** `prefix/Name`: a qualified name with an optional DNS subdomain in front. */
export const qualifiedNamePattern = `^(${subdomain}/)?(${qualified})$`;

const LABEL = new RegExp(dnsLabelPattern);
const SUBDOMAIN = new RegExp(dnsSubdomainPattern);
const QUALIFIED = new RegExp(`^${qualified}$`);

/** Whether a text is a DNS label: the name of a namespace or a cluster. */
export const isDnsLabel = (text: string): boolean => text.length <= 63 && LABEL.test(text);

/** Whether a text is a key of a label: `name` or `prefix/name`. */
export const isLabelKey = (text: string): boolean => qualifiedNameError(text) === undefined;

/** Whether a text is a value of a label. */
export const isLabelValue = (text: string): boolean => labelValueError(text) === undefined;

/** Whether a text is a DNS subdomain: the name of most objects. */
export const isDnsSubdomain = (text: string): boolean => text.length <= 253 && SUBDOMAIN.test(text);

// The rules for names that the API server applies to metadata. Each returns what is expected, or undefined if the name is valid.

/** A DNS name: names of most objects. */
export const dnsSubdomainError = (text: string): string | undefined => {
  if (text.length > 253) return 'must not be longer than 253 characters';
  return SUBDOMAIN.test(text)
    ? undefined
    : 'must be a DNS name: lower case letters, digits, - and ., starting and ending with a letter or digit';
};

/** One label of a DNS name: names of namespaces. */
export const dnsLabelError = (text: string): string | undefined => {
  if (text.length > 63) return 'must not be longer than 63 characters';
  return LABEL.test(text)
    ? undefined
    : 'must be a DNS label: lower case letters, digits and -, starting and ending with a letter or digit';
};

/** Like a DNS label, but cannot start with a digit: a kind in lower case. */
export const kindError = (kind: string): string | undefined =>
  kind.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(kind.toLowerCase())
    ? undefined
    : 'must be a kind: at most 63 letters and digits, starting with a letter';

/** `name` or `prefix/name`: keys of labels and annotations, finalizers. */
export const qualifiedNameError = (text: string): string | undefined => {
  const [first = '', second, ...more] = text.split('/');
  const name = second ?? first;
  if (more.length > 0) return 'must be a name or prefix/name, with at most one /';
  if (second !== undefined && (first === '' || dnsSubdomainError(first))) return 'must have a DNS name before the /';
  if (name.length > 63) return 'must have a name of at most 63 characters';
  return QUALIFIED.test(name)
    ? undefined
    : 'must have a name of letters, digits, -, _ and ., starting and ending with a letter or digit';
};

/** The value of a label. */
export const labelValueError = (text: string): string | undefined => {
  if (text.length > 63) return 'must not be longer than 63 characters';
  return text === '' || QUALIFIED.test(text)
    ? undefined
    : 'must be empty or letters, digits, -, _ and ., starting and ending with a letter or digit';
};

/** What may stand in a URL path: the only rule for names of objects of unknown kinds. */
export const pathSegmentError = (text: string): string | undefined =>
  text === '.' || text === '..' || /[/%]/.test(text) ? 'must not be . or .. and must not contain / or %' : undefined;

/** A prefix may end in a dash, since the server puts letters after it. */
export const withoutTrailingDash = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
