#!/usr/bin/env node
import { createAddonCli } from '@flotilla/addon-sdk';
import { addon } from './addon.ts';

await createAddonCli({ addon, version: '0.1.0' })();
