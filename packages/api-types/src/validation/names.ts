// The rules for names that the API server applies to metadata. Each returns what is expected, or undefined if all is well.

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** A DNS name: names of most objects. */
export const dnsSubdomainProblem = (text: string): string | undefined => {
  if (text.length > 253) return 'must not be longer than 253 characters';
  return SUBDOMAIN.test(text)
    ? undefined
    : 'must be a DNS name: lower case letters, digits, - and ., starting and ending with a letter or digit';
};

/** One label of a DNS name: names of namespaces. */
export const dnsLabelProblem = (text: string): string | undefined => {
  if (text.length > 63) return 'must not be longer than 63 characters';
  return LABEL.test(text)
    ? undefined
    : 'must be a DNS label: lower case letters, digits and -, starting and ending with a letter or digit';
};

/** Like a DNS label, but a digit may not come first: what kinds look like in lower case. */
export const kindProblem = (kind: string): string | undefined =>
  kind.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(kind.toLowerCase())
    ? undefined
    : 'must be a kind: at most 63 letters and digits, starting with a letter';

/** `name` or `prefix/name`: keys of labels and annotations, finalizers. */
export const qualifiedNameProblem = (text: string): string | undefined => {
  const [first = '', second, ...more] = text.split('/');
  const name = second ?? first;
  if (more.length > 0) return 'must be a name or prefix/name, with at most one /';
  if (second !== undefined && (first === '' || dnsSubdomainProblem(first))) return 'must have a DNS name before the /';
  if (name.length > 63) return 'must have a name of at most 63 characters';
  return QUALIFIED.test(name)
    ? undefined
    : 'must have a name of letters, digits, -, _ and ., starting and ending with a letter or digit';
};

/** The value of a label. */
export const labelValueProblem = (text: string): string | undefined => {
  if (text.length > 63) return 'must not be longer than 63 characters';
  return text === '' || QUALIFIED.test(text)
    ? undefined
    : 'must be empty or letters, digits, -, _ and ., starting and ending with a letter or digit';
};

/** What may stand in a URL path: the only rule for names of objects of unknown kinds. */
export const pathSegmentProblem = (text: string): string | undefined =>
  text === '.' || text === '..' || /[/%]/.test(text) ? 'must not be . or .. and must not contain / or %' : undefined;

/** A prefix may end in a dash, since the server puts letters after it. */
export const withoutTrailingDash = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
