import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { handleSession } from './api.ts';
import { loadFont } from './lib/font.ts';
import { base, withQuery } from './lib/paths.ts';
import { applyPreferences } from './lib/preferences.ts';
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
