"""Which commands verify what, in the ecosystems that people use; and which rewrite files."""

import pytest

from refloat.commands import check_of, formats, generates, may_write, sort_of_check
from refloat.commands.checks import SORTS
from refloat.knowledge.tables import table

TESTS = r"""
pytest -q
python -m pytest tests
python -m unittest discover
python manage.py test
tox -e py311
nox -s tests
hatch run test
hatch test
pdm run pytest
poetry run pytest -x
pixi run test
uv run -m pytest
coverage run -m pytest
npm test
npm t
npm run test:unit
yarn test
yarn jest --ci
yarn workspace app test
pnpm --filter app test
pnpm -r test
pnpm vitest run
pnpm exec vitest
bun test
bunx vitest
npx jest a.test.ts
npx playwright test
cypress run
node --test
node node_modules/.bin/jest
deno test -A
ng test --watch=false
nx test app
npx nx run-many -t test
turbo run test
cargo test
cargo t
cargo nextest run
cargo +nightly test --all
cargo --color always test
go test ./...
go test -race ./... -count=1
gotestsum -- -v
mvn -q test
./mvnw verify
mvn -pl core -am test
gradle test
./gradlew :app:testDebugUnitTest
./gradlew clean check
sbt test
sbt "testOnly a.B"
mill app.test
bazel test //...
dotnet test
dotnet test --no-build
bundle exec rspec spec/a_spec.rb
bin/rails test
bundle exec rake test
ruby -Itest test/a_test.rb
vendor/bin/phpunit
php artisan test
php vendor/bin/pest
composer test
ctest --test-dir build
meson test -C build
swift test
xcodebuild -scheme A test
zig build test
cabal test
stack test
mix test
rebar3 eunit
dart test
flutter test
bats test/
make test
make -C sub check
just test
task test
./run_tests.sh
bash scripts/test.sh
prove -l t
forge test
pytest -v
python -m pytest -v
python3.11 -W error -m pytest -v
python -X dev -m unittest -v
uv run python -m pytest -v
coverage run -m pytest -v
python -m coverage run -m unittest -v
py.test -v
tox -v
ctest -V
phpunit -v
python -m django test -v
docker compose run --rm app pytest
docker exec -it web npm test
""".strip().splitlines()

LINTS = r"""
mypy src
ruff check .
ruff format --check .
black --check .
isort -c .
npx eslint .
npm run lint
yarn lint
npm run typecheck
npx tsc --noEmit
tsc -p . --noEmit
vue-tsc --noEmit
biome check .
npx prettier --check .
npm run format:check
cargo clippy -- -D warnings
cargo check
cargo fmt --check
cargo fmt -- --check
gofmt -l .
go vet ./...
golangci-lint run
./gradlew lint
ktlint
detekt
rubocop
phpstan analyse
php -l a.php
composer validate
swiftlint
clang-tidy a.cpp
clang-format --dry-run -Werror a.c
mix format --check-formatted
mix credo
terraform validate
terraform fmt -check
tflint
helm lint chart
hadolint Dockerfile
shellcheck a.sh
bash -n a.sh
yamllint .
actionlint
markdownlint '**/*.md'
pre-commit run -a
make lint
just lint
dotnet format --verify-no-changes
dart analyze
shfmt -d .
npm audit
""".strip().splitlines()

BUILDS = r"""
npm run build
vite build
next build
webpack --mode production
tsup
cargo build --release
go build ./...
mvn package
./gradlew assembleDebug
./gradlew :app:compileKotlin
dotnet build
make build
cmake --build build -j4
ninja -C build
gcc -o a a.c
swift build
xcodebuild -scheme A build
zig build
cabal build
stack build
mix compile
docker build -t x .
docker buildx build .
docker compose build
python -m build
uv build
poetry build
flutter build apk
mkdocs build --strict
hugo
""".strip().splitlines()

NONE = r"""
npm ci
npm install
npm start
cargo run -- test
go run ./cmd/test
pytest --version
pytest -V
python -m pytest -h
cargo test -h
npx jest -v
bundle exec rspec -v
pytest --collect-only
black .
ruff format .
prettier --write .
gofmt -w .
cargo fmt
git commit -m 'run pytest'
echo pytest
cat test.sh
pip install pytest
uv pip install mypy
apt-get install gcc
which pytest
make clean
make install
test -f x
[ -f x ]
docker ps
terraform fmt
node server.js
python script.py
ls tests
git test
kubectl get pods
python -c 'import pytest'
grep -rn test .
npm run dev
npm view eslint version
cd tests
rm -rf build
mkdir build
git checkout -b build/test
yarn add jest
vim test.py
composer install
rails server
bundle install
dotnet run
dotnet add package x
""".strip().splitlines()


@pytest.mark.parametrize(
    ("command", "sort"),
    [*((line, "test") for line in TESTS), *((line, "lint") for line in LINTS), *((line, "build") for line in BUILDS)],
)
def test_what_a_command_verifies(command: str, sort: str) -> None:
    assert sort_of_check(command) == sort
    assert check_of(command)


@pytest.mark.parametrize("command", NONE)
def test_what_verifies_nothing(command: str) -> None:
    assert sort_of_check(command) is None
    assert check_of(command) is None


def test_options_that_only_print_more_leave_a_check_what_it_is() -> None:
    tables = table("checks")
    for sort in SORTS:
        for program, text in tables[sort].items():
            verb = next((word for word in str(text).split() if not word.startswith("-")), "")
            if text and not verb:
                continue
            line = f"{program} {verb}".strip()
            alone = str(tables["alone"].get(program, "")).split()
            for flag in ("-v", "-vv", "--verbose"):
                assert (sort_of_check(f"{line} {flag}") is None) is (not verb and flag in alone), (line, flag)
            for flag in ("--version", "--help", "-h"):
                assert sort_of_check(f"{line} {flag}") is None, (line, flag)


def test_the_same_check_has_the_same_name() -> None:
    assert check_of("cd x && FOO=1 npm test 2>&1 | tail -5") == check_of("npm test") == "npm test"
    assert check_of("uv run pytest -q") == check_of("timeout 60 python -m pytest -q") == "pytest -q"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("black .", "black"),
        ("ruff format src", "ruff format"),
        ("ruff check --fix .", "ruff"),
        ("npx prettier --write a.ts", "prettier"),
        ("yarn prettier --write a.ts", "prettier"),
        ("gofmt -w .", "gofmt"),
        ("gofmt -l .", None),
        ("cargo fmt", "cargo fmt"),
        ("eslint --fix src", "eslint"),
        ("eslint src", None),
        ("pytest --snapshot-update", "pytest"),
        ("cd a && terraform fmt && pytest", "terraform fmt"),
        ("ls", None),
    ],
)
def test_what_rewrites_files(command: str, expected: str | None) -> None:
    assert formats(command) == expected
    assert expected is None or may_write(command)


@pytest.mark.parametrize(
    ("command", "path", "expected"),
    [
        ("npm install left", "package-lock.json", True),
        ("cd web && npm i", "web/package.json", True),
        ("npm install left", "src/a.ts", False),
        ("cargo build", "Cargo.lock", True),
        ("sed -i s/a/b/ x.py", "x.py", True),
        ("protoc a.proto", "gen/a_pb2.py", True),
        ("ls", "package.json", False),
    ],
)
def test_what_generators_write(command: str, path: str, expected: bool) -> None:
    assert generates(command, path) is expected


@pytest.mark.parametrize("command", ["pytest -q", "mypy .", "ls", "git status", "black --check .", "cargo clippy"])
def test_what_only_looks_writes_nothing(command: str) -> None:
    assert not may_write(command)
