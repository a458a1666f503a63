import { Optional } from '@marcbachmann/cel-js';
import { formatProblem } from '../../validation/formats.ts';
import {
  dnsLabelProblem,
  dnsSubdomainProblem,
  labelValueProblem,
  qualifiedNameProblem,
  withoutTrailingDash,
} from '../../validation/names.ts';
import type { Library } from './library.ts';

/** What is wrong with a text, if anything. */
type Judge = (text: string) => string | undefined;

/** A named form of texts. */
class CelFormat {
  readonly judge: Judge;

  constructor(judge: Judge) {
    this.judge = judge;
  }
}

/** Holds functions that are called as `format.dns1123Label()`. */
class FormatNamespace {}

const dns1035: Judge = (text) =>
  text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text)
    ? undefined
    : 'must be a DNS label that starts with a letter: at most 63 lower case letters, digits and -, ending with a letter or digit';

const prefixOf =
  (judge: Judge): Judge =>
  (text) =>
    judge(withoutTrailingDash(text));

const ofSchema =
  (name: string): Judge =>
  (text) =>
    formatProblem(name, text);

const formats: Readonly<Record<string, Judge>> = {
  dns1123Label: dnsLabelProblem,
  dns1123Subdomain: dnsSubdomainProblem,
  dns1035Label: dns1035,
  qualifiedName: qualifiedNameProblem,
  dns1123LabelPrefix: prefixOf(dnsLabelProblem),
  dns1123SubdomainPrefix: prefixOf(dnsSubdomainProblem),
  dns1035LabelPrefix: prefixOf(dns1035),
  labelValue: labelValueProblem,
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
      const judge = Object.hasOwn(formats, name) ? formats[name] : undefined;
      return judge ? Optional.of(new CelFormat(judge)) : Optional.none();
    })
    .registerFunction(`${type}.validate(string): optional<list<string>>`, ({ judge }: CelFormat, text: string) => {
      const problem = judge(text);
      return problem === undefined ? Optional.none() : Optional.of([problem]);
    });
  for (const [name, judge] of Object.entries(formats)) {
    environment.registerFunction(`FormatNamespace.${name}(): ${type}`, () => new CelFormat(judge));
  }
};
