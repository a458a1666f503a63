import { expect, it } from 'vitest';
import type { TextCheck } from './field.ts';
import {
  configKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  pathSegment,
  portName,
  qualifiedName,
} from './names.ts';

const long = (length: number): string => 'a'.repeat(length);

it.each<[what: string, check: TextCheck, text: string, says: string[]]>([
  ['a subdomain may have dots', dnsSubdomain, 'a.b-c.9', []],
  [
    'a subdomain is in lower case',
    dnsSubdomain,
    'A',
    [
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  ['a subdomain has an end', dnsSubdomain, long(254), ['must be no more than 253 characters']],
  ['a label has no dots', dnsLabel, 'a.b', ['must not contain dots']],
  ['a label has an end', dnsLabel, long(64), ['must be no more than 63 characters']],
  [
    'a DNS-1035 label starts with a letter',
    dns1035Label,
    '1a',
    [
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  ['a path segment takes what a URL takes', pathSegment, 'system:node proxier', []],
  ['a path segment has no slash', pathSegment, 'a/b', ["may not contain '/'"]],
  ['a path segment is not a parent', pathSegment, '..', ["may not be '..'"]],
  ['a key may have a domain', qualifiedName, 'example.com/My_Name', []],
  ['a key with a slash has a domain', qualifiedName, '/x', ['prefix part must be non-empty']],
  ['the name of a key has an end', qualifiedName, `a/${long(64)}`, ['name part must be no more than 63 bytes']],
  ['the value of a label may be empty', labelValue, '', []],
  ['a key of a config map is not a parent', configKey, '..', ["must not be '..'"]],
  ['nor does it look like one', configKey, '..a', ["must not start with '..'"]],
  ['a name of a port has a letter', portName, '80', ['must contain at least one letter (a-z)']],
  ['a name of a port is short', portName, long(16), ['must be no more than 15 characters']],
])('%s', (_what, check, text, says) => {
  expect(check(text)).toEqual(says);
});
