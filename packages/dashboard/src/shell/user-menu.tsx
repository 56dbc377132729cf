import { BookOpen, CircleUser, Keyboard, LogOut, ShieldCheck } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useSession } from '../api/session.ts';
import { IconButton } from '../components/buttons/button.tsx';
import {
  Menu,
  MenuCheckbox,
  MenuItem,
  MenuLabel,
  MenuLine,
  MenuLink,
  MenuRadioGroup,
} from '../components/overlays/menu.tsx';
import { choose, preferences } from '../lib/browser/preferences.ts';
import { useGo, usePaths } from '../navigation/navigation.tsx';
import { useSignOut } from './use-sign-out.ts';

const themes = [
  { value: 'system', label: 'Like the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

const densities = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
] as const;

/** The user menu: appearance, shortcuts, documentation, security and sign-out. */
export function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const email = useSession().data?.user.email;
  const { theme, density, letterKeys } = useSyncExternalStore(preferences.subscribe, preferences.get);
  const go = useGo();
  const paths = usePaths();
  const leave = useSignOut();
  return (
    <Menu button={<IconButton label="Your menu" icon={CircleUser} />} className="w-60">
      <MenuLabel>
        <span className="block truncate">{email}</span>
      </MenuLabel>
      <MenuItem icon={ShieldCheck} onSelect={() => go(paths.settings('security'))}>
        Password and security
      </MenuItem>
      <MenuItem icon={Keyboard} onSelect={onHelp}>
        Keyboard shortcuts
      </MenuItem>
      <MenuLink icon={BookOpen} href="/docs">
        Documentation
      </MenuLink>
      <MenuLine />
      <MenuRadioGroup
        label="Theme"
        value={theme}
        choices={themes}
        onChange={(next) => choose({ theme: next })}
      />
      <MenuRadioGroup
        label="Density"
        value={density}
        choices={densities}
        onChange={(next) => choose({ density: next })}
      />
      <MenuLine />
      <MenuCheckbox checked={letterKeys} onChange={(on) => choose({ letterKeys: on })}>
        Shortcuts of one letter
      </MenuCheckbox>
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={leave}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
