import type { Field } from '../../field.ts';
import { dns1035Label, dnsSubdomain, isPortNumber, pathSegment, portNumberSentence } from '../../names.ts';

export function validateApiService(apiService: Field): void {
  const spec = apiService.at('spec');
  const name = apiService.at('metadata').at('name');
  const group = spec.at('group');
  const version = spec.at('version');
  const wanted = `${version.text}.${group.text}`;
  if (name.text !== wanted && name.text !== '' && pathSegment(name.text).length === 0) {
    name.invalid(`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`);
  }
  if (group.text === '') {
    if (version.text !== 'v1') group.required('only v1 may have an empty group and it better be legacy kube');
  } else group.check(dnsSubdomain);
  version.check(dns1035Label);
  const groupPriority = spec.at('groupPriorityMinimum');
  if (groupPriority.number <= 0 || groupPriority.number > 20_000) {
    groupPriority.invalid('must be positive and less than 20000', groupPriority.number);
  }
  const versionPriority = spec.at('versionPriority');
  if (versionPriority.number <= 0 || versionPriority.number > 1000) {
    versionPriority.invalid('must be positive and less than 1000', versionPriority.number);
  }
  validateBackend(spec);
  for (const condition of apiService.at('status').at('conditions').items()) {
    const status = condition.at('status');
    if (!['True', 'False', 'Unknown'].includes(status.text)) status.notSupported(['True', 'False', 'Unknown']);
  }
}

function validateBackend(spec: Field): void {
  const service = spec.at('service');
  const bundle = spec.at('caBundle');
  const insecure = spec.at('insecureSkipTLSVerify');
  const bytes = Buffer.from(bundle.text, 'base64').length;
  if (!service.present) {
    if (bytes > 0) bundle.invalid('local APIServices may not have a caBundle', `${bytes} bytes`);
    if (insecure.flag) insecure.invalid('local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  for (const field of ['namespace', 'name']) if (service.at(field).text === '') service.at(field).required();
  const port = service.at('port');
  if (!isPortNumber(port.number)) port.invalid(`port is not valid: ${portNumberSentence}`, port.number);
  if (insecure.flag && bytes > 0) insecure.invalid('may not be true if caBundle is present');
}
