// Prints, for `npm test`, the target that runs these suites if the binaries of Kubernetes are at hand. `npm run test:kube`
// gets them first. CI runs both, one after the other, and says `later` to the first so that nothing runs twice.
import { findBinaries } from '@flotilla/envtest';

if (process.env.FLOTILLA_E2E === 'later') console.error('The suites on a real kube-apiserver come later.');
else if (await findBinaries()) console.log('test:kube');
else {
  console.error(
    'No binaries of Kubernetes here: the suites on a real kube-apiserver are not run. `npm run test:kube` gets them and runs the suites.',
  );
}
