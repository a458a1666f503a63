import type { Field } from '../../field.ts';
import { isPortNumber, portName, portNumberSentence } from '../../names.ts';

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];
const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** A probe of a container, or a hook of its life cycle, which has a handler only. */
export function validateProbe(probe: Field, name: string): void {
  validateHandler(probe);
  if (name === 'hook') return;
  for (const count of counts) probe.at(count).notNegative();
  const grace = probe.at('terminationGracePeriodSeconds');
  if (grace.present && grace.number <= 0) grace.invalid('must be greater than 0');
  const success = probe.at('successThreshold');
  if (name !== 'readinessProbe' && success.present && success.number !== 1) success.invalid('must be 1');
  if (name === 'readinessProbe' && grace.present) {
    grace.invalid('must not be set for readinessProbes');
  }
}

function validateHandler(probe: Field): void {
  const given = handlers.filter((handler) => probe.at(handler).present);
  if (given.length === 0) probe.required('must specify a handler type');
  for (const handler of given.slice(1)) probe.at(handler).forbidden('may not specify more than 1 handler type');
  const action = probe.at(given[0] ?? 'exec');
  if (!action.present) return;
  switch (given[0]) {
    case 'exec':
      if (action.at('command').list.length === 0) action.at('command').required();
      break;
    case 'httpGet':
      if (action.at('path').text === '') action.at('path').required();
      validatePort(action.at('port'));
      action.at('scheme').oneOf(['HTTP', 'HTTPS']);
      break;
    case 'tcpSocket':
    case 'grpc':
      validatePort(action.at('port'));
      break;
    case 'sleep':
      action.at('seconds').notNegative();
      break;
  }
}

/** A number, or the name of a port of the container. */
function validatePort(port: Field): void {
  if (typeof port.value === 'string') {
    port.check(portName);
  } else if (!isPortNumber(port.number)) port.invalid(portNumberSentence, port.number);
}
