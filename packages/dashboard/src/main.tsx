import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { handleSession } from './api/calls.ts';
import { applyPreferences } from './lib/browser/preferences.ts';
import { base, withQuery } from './navigation/paths.ts';
import { router } from './routes.tsx';
import { askToConfirm } from './shell/confirm-identity.tsx';
import { queries } from './shell/providers.tsx';
import './styles.css';

const isPublic = /^\/(login|setup|invite)\b/;

/** To the sign-in page, which leads back to where the person was. */
function goToSignIn(): void {
  const { pathname, searchStr } = router.state.location;
  if (isPublic.test(pathname)) return;
  queries.clear();
  const place = pathname + searchStr;
  router.history.replace(base + withQuery('/login', { return_to: place === '/' ? undefined : place }));
}

/** Loads the typeface from this server; until it is there, and for other scripts, the system's is used. */
function loadFont(): void {
  const face = new FontFace('Inter', `url(${inter}) format('woff2')`, { weight: '100 900', display: 'swap' });
  document.fonts.add(face);
  // Without it the page is readable all the same.
  face.load().catch(() => document.fonts.delete(face));
}

handleSession({ signedOut: goToSignIn, confirm: askToConfirm });
applyPreferences(document.documentElement);
loadFont();

const place = document.getElementById('root');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
}
