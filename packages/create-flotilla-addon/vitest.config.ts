import { projectConfig } from '../../vitest.shared.ts';

export default projectConfig('create-flotilla-addon');
