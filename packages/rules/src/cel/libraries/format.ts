import { Optional } from '@marcbachmann/cel-js';
import { formatError } from '../../values/formats.ts';
import {
  dnsLabelError,
  dnsSubdomainError,
  labelValueError,
  qualifiedNameError,
  withoutTrailingDash,
} from '../../values/names.ts';
import type { Library } from './library.ts';

/** Returns why a text does not have the format, or undefined. */
type FormatCheck = (text: string) => string | undefined;

/** A named format of strings. */
class CelFormat {
  readonly check: FormatCheck;

  constructor(check: FormatCheck) {
    this.check = check;
  }
}

/** Holds functions that are called as `format.dns1123Label()`. */
class FormatNamespace {}

const dns1035: FormatCheck = (text) =>
  text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text)
    ? undefined
    : 'must be a DNS label that starts with a letter: at most 63 lower case letters, digits and -, ending with a letter or digit';

const prefixOf =
  (check: FormatCheck): FormatCheck =>
  (text) =>
    check(withoutTrailingDash(text));

const ofSchema =
  (name: string): FormatCheck =>
  (text) =>
    formatError(name, text);

const formats: Readonly<Record<string, FormatCheck>> = {
  dns1123Label: dnsLabelError,
  dns1123Subdomain: dnsSubdomainError,
  dns1035Label: dns1035,
  qualifiedName: qualifiedNameError,
  dns1123LabelPrefix: prefixOf(dnsLabelError),
  dns1123SubdomainPrefix: prefixOf(dnsSubdomainError),
  dns1035LabelPrefix: prefixOf(dns1035),
  labelValue: labelValueError,
  uri: ofSchema('uri'),
  uuid: ofSchema('uuid'),
  byte: ofSchema('byte'),
  date: ofSchema('date'),
  datetime: ofSchema('datetime'),
};

/** Kubernetes' named formats. */
export const registerFormat: Library = (environment) => {
  const type = 'kubernetes.NamedFormat';
  environment
    .registerType(type, CelFormat)
    .registerType('FormatNamespace', FormatNamespace)
    .registerConstant('format', 'FormatNamespace', new FormatNamespace())
    .registerFunction(`FormatNamespace.named(string): optional<${type}>`, (_: FormatNamespace, name: string) => {
      const check = Object.hasOwn(formats, name) ? formats[name] : undefined;
      return check ? Optional.of(new CelFormat(check)) : Optional.none();
    })
    .registerFunction(`${type}.validate(string): optional<list<string>>`, ({ check }: CelFormat, text: string) => {
      const error = check(text);
      return error === undefined ? Optional.none() : Optional.of([error]);
    });
  for (const [name, check] of Object.entries(formats)) {
    environment.registerFunction(`FormatNamespace.${name}(): ${type}`, () => new CelFormat(check));
  }
};
