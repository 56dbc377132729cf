#!/usr/bin/env node
// A committed file, so that npm can link the command before the first build exists.
import '../dist/bundle/main.js';
