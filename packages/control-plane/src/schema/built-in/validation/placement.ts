import { isIP } from 'node:net';
import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsSubdomain, dnsSubdomainWithUnderscore } from '../../names.ts';
import { ipSentence } from './addresses.ts';

/** How evenly pods are spread. */
export function validateSpread(constraints: Field): void {
  const seen = new Set<string>();
  for (const constraint of constraints.items()) {
    const skew = constraint.at('maxSkew');
    if (skew.number <= 0) skew.invalid('must be greater than zero', skew.number);
    const key = constraint.at('topologyKey');
    if (key.text === '') key.required('can not be empty');
    const action = constraint.at('whenUnsatisfiable');
    if (action.text !== 'DoNotSchedule' && action.text !== 'ScheduleAnyway') {
      action.notSupported(['DoNotSchedule', 'ScheduleAnyway']);
    }
    const identity = `${key.text} ${action.text}`;
    if (seen.has(identity)) constraint.duplicate(`{${key.text}, ${action.text}}`);
    seen.add(identity);
    validateLabelSelector(constraint.at('labelSelector'));
  }
}

/** Names that the pod itself knows beyond those of the cluster. */
export function validateHostNames(spec: Field): void {
  for (const alias of spec.at('hostAliases').items()) {
    if (isIP(alias.at('ip').text) === 0) alias.at('ip').invalid(ipSentence, alias.at('ip').text);
    for (const name of alias.at('hostnames').items()) name.check(dnsSubdomain);
  }
  const config = spec.at('dnsConfig');
  const servers = config.at('nameservers');
  if (spec.at('dnsPolicy').text === 'None') {
    if (!config.present) config.required('must provide `dnsConfig` when `dnsPolicy` is None');
    else if (servers.list.length === 0)
      servers.required('must provide at least one DNS nameserver when `dnsPolicy` is None');
  }
  if (servers.list.length > 3) servers.invalid('must not have more than 3 nameservers');
  for (const server of servers.items()) if (isIP(server.text) === 0) server.invalid(ipSentence);
  for (const search of config.at('searches').items()) {
    search.with(search.text.replace(/\.$/, '')).check(dnsSubdomainWithUnderscore);
  }
  for (const option of config.at('options').items()) if (option.at('name').text === '') option.at('name').required();
}
